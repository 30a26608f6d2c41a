FROM node:24-bookworm-slim

# The runtime checks certificates of the addresses that it calls.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /app /data /backups \
  && chown node:node /app /data /backups

USER node
WORKDIR /app

COPY --chown=node:node package.json package-lock.json .npmrc tsconfig.json wrangler.toml ./
COPY --chown=node:node migrations migrations
COPY --chown=node:node public public
COPY --chown=node:node scripts scripts
COPY --chown=node:node src src
COPY --chown=node:node web web

# The secrets that the first start writes are kept with the data.
RUN npm ci && npm cache clean --force && ln -s /data/secrets .dev.vars

ENV HOST=0.0.0.0 STATE_DIR=/data/state
VOLUME /data
EXPOSE 8000 8001
HEALTHCHECK --start-period=60s --interval=30s --timeout=10s \
  CMD ["node", "-e", "fetch('http://localhost:8000/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["npm", "start"]
