"""Label files: boxes, polygons, points and masks in COCO, YOLO, CVAT and LabelMe files, one file per format."""
