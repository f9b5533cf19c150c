# Build stage: wheels are installed into a virtual environment, nothing of pip's cache goes along.
# Not the slim image: this one has a C compiler for the extension modules of the hot path.
FROM python:3.11.13-bookworm AS build

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
RUN python -m venv /opt/sentinel

# The locked dependencies first: they change less often than the source.
COPY requirements.lock ./
RUN /opt/sentinel/bin/pip install --require-hashes --only-binary :all: -r requirements.lock

# What builds comes from a lock too, and stays beside: without isolation nothing unpinned is fetched.
COPY requirements-build.lock ./
RUN /opt/sentinel/bin/pip install --require-hashes --only-binary :all: --target /build/tools -r requirements-build.lock

COPY pyproject.toml setup.py README.md LICENSE ./
COPY sentinel ./sentinel
RUN PYTHONPATH=/build/tools SENTINEL_EXTENSIONS=required /opt/sentinel/bin/pip install --no-deps --no-build-isolation .

FROM python:3.11.13-slim-bookworm

ENV PATH=/opt/sentinel/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/sentinel /opt/sentinel
# Only numbers: Kubernetes' runAsNonRoot cannot check a name.
RUN install -d -o 10001 -g 10001 /var/lib/sentinel
USER 10001:10001
WORKDIR /var/lib/sentinel
ENTRYPOINT ["sentinel"]
