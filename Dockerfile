# docker build --tag sizewise . && docker run --rm --user "$(id -u)" --volume "$PWD:/data" sizewise resize ...
# Not built by the tests; it installs the published wheels of the version given.
FROM python:3.13-slim
ARG VERSION=0.2.0
RUN pip install --no-cache-dir "sizewise[cli,audit,parquet]==${VERSION}" && useradd --create-home sizewise
USER sizewise
WORKDIR /data
ENTRYPOINT ["sizewise"]
CMD ["--help"]
