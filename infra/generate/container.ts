import { commandName } from '../package-root.ts';

/** The package managers whose lockfiles an image is built from. */
export const lockfiles = { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml' } as const;
export type PackageManager = keyof typeof lockfiles;

/** What the image promises to whatever runs it. */
export const container = {
  node: 24,
  /** The user `node` of the base image; as a number, so that Kubernetes can see that it is not root. */
  user: 1000,
  port: 8080,
  memoryMib: 512,
  /**
   * As Terraform has it: by itself Node takes half of the memory for its heap, and fails with the other half
   * free. Three times 8 MiB for young objects: with 16, the default, peaks are far higher (docs/deploying.md).
   */
  nodeOptions: '--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384',
} as const;

const installs: Readonly<Record<PackageManager, string>> = {
  npm: 'npm ci',
  pnpm: 'corepack enable && pnpm install --frozen-lockfile',
};

const runtimeInstalls: Readonly<Record<PackageManager, string>> = {
  npm: 'RUN cd dist/resync && npm ci --omit=dev && mv node_modules ..',
  pnpm: `# The functions need one package, in the exact version of their package.json; npm resolves what that needs.
RUN cd dist/resync && npm install --omit=dev && mv node_modules ..`,
};

/** The files that make an image of both functions, beside the configuration: path → text. */
export const containerFiles = (manager: PackageManager): ReadonlyMap<string, string> =>
  new Map([
    ['Dockerfile', dockerfile(manager)],
    ['.dockerignore', dockerignore],
  ]);

const dockerfile = (manager: PackageManager): string => `\
FROM node:${container.node}-slim AS build
WORKDIR /src
# All at once: ${lockfiles[manager]} may name workspaces and archives beside it.
COPY . .
RUN ${installs[manager]}
RUN ${commandName} build
${runtimeInstalls[manager]}

# Both functions: FUNCTION_TARGET=resync or FUNCTION_TARGET=audit. GET / is answered 200 once it serves.
FROM node:${container.node}-slim
ENV NODE_ENV=production
ENV NODE_OPTIONS="${container.nodeOptions}"
ENV PORT=${container.port}
WORKDIR /app
COPY --from=build /src/dist /app
USER ${container.user}
EXPOSE ${container.port}
CMD ["sh", "-c", "exec node_modules/.bin/functions-framework --source=\\"\${FUNCTION_TARGET:?set it to resync or audit}\\""]
`;

const dockerignore = `\
**/node_modules
.git
.local
dist
# Credentials: nothing of them is needed to build.
**/.env*
**/kubeconfig
**/*.kubeconfig
**/*.tfvars
**/*.tfvars.json
**/*.tfstate*
**/.terraform
`;
