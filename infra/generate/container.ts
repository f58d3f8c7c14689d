import { commandName } from '../package-root.ts';

/** The lockfile from which an image is built. */
export const lockfiles = { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml' } as const;
export type PackageManager = keyof typeof lockfiles;

/** Properties of the image that manifests rely on. */
export const containerImage = {
  node: 24,
  /** The user `node` of the base image; a number, so that Kubernetes can verify that it is not root. */
  user: 1000,
  port: 8080,
  memoryMib: 512,
  /**
   * Node options, the same as in Terraform. By default, Node limits the heap to half of the memory, and fails
   * although the other half is free. Its default semi-space of 16 MiB causes far higher memory peaks
   * (docs/deploying.md).
   */
  nodeOptions: '--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384',
} as const;

const installs: Readonly<Record<PackageManager, string>> = {
  npm: 'npm ci',
  pnpm: 'corepack enable && pnpm install --frozen-lockfile',
};

const runtimeInstalls: Readonly<Record<PackageManager, string>> = {
  npm: 'RUN cd dist/resync && npm ci --omit=dev && mv node_modules ..',
  pnpm: `# The functions need only one package, pinned in their package.json; npm resolves its dependencies.
RUN cd dist/resync && npm install --omit=dev && mv node_modules ..`,
};

/** Returns the text of each file by its path, relative to the directory of the configuration. */
export const containerFiles = (manager: PackageManager): ReadonlyMap<string, string> =>
  new Map([
    ['Dockerfile', dockerfile(manager)],
    ['.dockerignore', dockerignore],
  ]);

const dockerfile = (manager: PackageManager): string => `\
FROM node:${containerImage.node}-slim AS build
WORKDIR /src
# Copies everything, because ${lockfiles[manager]} may refer to workspaces and archives.
COPY . .
RUN ${installs[manager]}
RUN ${commandName} build
${runtimeInstalls[manager]}

# Both functions: FUNCTION_TARGET=resync or FUNCTION_TARGET=audit. GET / returns 200 once it serves.
FROM node:${containerImage.node}-slim
ENV NODE_ENV=production
ENV NODE_OPTIONS="${containerImage.nodeOptions}"
ENV PORT=${containerImage.port}
WORKDIR /app
COPY --from=build /src/dist /app
USER ${containerImage.user}
EXPOSE ${containerImage.port}
CMD ["sh", "-c", "exec node_modules/.bin/functions-framework --source=\\"\${FUNCTION_TARGET:?set it to resync or audit}\\""]
`;

const dockerignore = `\
**/node_modules
.git
.local
dist
# Credentials, which the build does not need.
**/.env*
**/kubeconfig
**/*.kubeconfig
**/*.tfvars
**/*.tfvars.json
**/*.tfstate*
**/.terraform
`;
