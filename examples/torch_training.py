"""Train a small network through a resize: learn a filter before the resize that keeps a fine pattern visible after it.

The loss is computed on the downscaled image, so its gradient passes through the resize. `dialect="pillow"` trains with
the pixels that a server with Pillow will see.
"""

import torch
from torch import nn

import sizewise as sw

torch.manual_seed(0)
images = (torch.arange(32) % 4 < 2).float().expand(8, 1, 32, 32).clone()  # stripes, 2 pixels wide
images += 0.1 * torch.randn_like(images)
labels = torch.arange(8) % 2
images[labels == 1] = images[labels == 1].transpose(-1, -2)  # vertical or horizontal?


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.filters = nn.Conv2d(1, 4, 3, padding=1)
        self.head = nn.Linear(4 * 8 * 8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = torch.relu(self.filters(x))
        small = sw.resize(features, (8, 8), dialect="pillow")  # differentiable, with Pillow's pixels
        return self.head(small.flatten(1))


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(101):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step:3}: loss {loss.item():.4f}")

accuracy = (model(images).argmax(1) == labels).float().mean().item()
print(f"accuracy {accuracy:.0%}")
assert accuracy == 1
