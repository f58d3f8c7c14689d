import { pluralOf } from '../plural.ts';

const packageName = 'serverless-reconciler';

/** The oldest Node that runs a project. */
export const leastNode = '22.19.0';

export interface Project {
  /** A legal package name. */
  readonly name: string;
  /** `example.org` */
  readonly group: string;
  /** `Cache` */
  readonly kind: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the contents of the files, by path. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  const name = lowerFirst(project.kind);
  return new Map([
    ['package.json', packageJson(project)],
    ['reconciler.config.ts', config(name)],
    [kindFile(project.kind), kind(project)],
    [`kinds/${name}.test.ts`, kindTest(project)],
    ['tsconfig.json', tsconfig],
    ['pnpm-workspace.yaml', pnpmWorkspace],
    ['.gitignore', 'node_modules/\ndist/\n.local/\n'],
    ['README.md', readme(project)],
  ]);
}

/** `kinds/cache.ts` */
export const kindFile = (kind: string): string => `kinds/${lowerFirst(kind)}.ts`;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Denies esbuild's install script, which is not needed. Without this, npm warns, and pnpm refuses to install. */
const installScripts = { esbuild: false };

const packageJson = ({ name, dependencies, devDependencies }: Project): string =>
  `${JSON.stringify(
    {
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      engines: { node: `>=${leastNode}` },
      scripts: {
        start: 'reconciler start',
        test: 'node --test "kinds/*.test.ts"',
        check: 'tsc',
        generate: 'reconciler generate --out install',
        build: 'reconciler build',
        reconciler: 'reconciler',
      },
      dependencies,
      devDependencies,
      allowScripts: installScripts,
    },
    null,
    2,
  )}\n`;

const config = (name: string): string => `import { defineConfig } from '${packageName}';
import { ${name} } from './kinds/${name}.ts';

export default defineConfig({ kinds: [${name}] });
`;

const kind = ({ group, kind: word }: Project): string => {
  const name = lowerFirst(word);
  return `import {
  child,
  defineKind,
  deployment,
  dnsLabel,
  labelValue,
  service,
  Type,
  workloadName,
} from '${packageName}';

/** A memcached of a given size: a Deployment and a Service in front of it. */
export const ${name} = defineKind({
  group: '${group}',
  version: 'v1alpha1',
  kind: '${word}',
  plural: '${pluralOf(word.toLowerCase())}',
  spec: Type.Object({
    megabytes: Type.Integer({ minimum: 16, maximum: 4096, default: 64 }),
    replicas: Type.Integer({ minimum: 0, maximum: 10, default: 1 }),
  }),
  columns: [{ name: 'Megabytes', type: 'integer', jsonPath: '.spec.megabytes' }],
  samples: [{ name: '${word.toLowerCase()}-sample', spec: { megabytes: 128 } }],
  owns: [deployment, service],
  children({ name, spec: { megabytes, replicas } }) {
    const labels = { ${name}: labelValue(name) };
    return [
      child(deployment, {
        name: workloadName(\`\${name}-${word.toLowerCase()}\`),
        body: {
          spec: {
            replicas,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [
                  {
                    name: 'memcached',
                    image: 'memcached:1.6',
                    args: ['-m', String(megabytes)],
                    ports: [{ name: 'memcached', containerPort: 11211, protocol: 'TCP' }],
                  },
                ],
              },
            },
          },
        },
      }),
      child(service, {
        name: dnsLabel(\`\${name}-${word.toLowerCase()}\`),
        body: {
          spec: {
            selector: labels,
            ports: [{ port: 11211, protocol: 'TCP', targetPort: 'memcached' }],
          },
        },
      }),
    ];
  },
});
`;
};

const kindTest = ({ kind: word }: Project): string => {
  const name = lowerFirst(word);
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestEnvironment, expectConverged, expectReliable } from '${packageName}/testing';
import { ${name} } from './${name}.ts';

test('every change to a child is repaired, and a second run writes nothing', async () => {
  await expectConverged(${name});
});

test('no spec and no sequence of edits breaks a law', async () => {
  await expectReliable(${name}, { seconds: 5 });
});

test('a resync creates the children, and they become ready', async () => {
  const env = await createTestEnvironment({ kinds: [${name}] });
  try {
    await env.apply(${name}, { name: 'shop', spec: { megabytes: 256 } });
    await env.resync();
    const children = await env.children(${name}, 'shop');
    assert.deepEqual(children.map(({ kind }) => kind).sort(), ['Deployment', 'Service']);
    await env.resync();
    assert.equal((await env.conditions(${name}, 'shop')).Ready?.status, 'True');
  } finally {
    await env.close();
  }
});
`;
};

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      types: ['node'],
      noEmit: true,
      strict: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    include: ['*.ts', 'kinds'],
  },
  null,
  2,
)}\n`;

const pnpmWorkspace = 'allowBuilds:\n  esbuild: false\n';

const readme = ({ name, kind: word }: Project): string => `# ${name}

A reconciler of ${word} resources, without an operator pod.

\`\`\`sh
npm install
npm start             # an embedded cluster, both functions and the dashboard
npm test
npx reconciler plan   # what a run would do, on any cluster
npm run generate      # CRDs and permissions in install/, for kubectl apply -k
npx reconciler build  # dist/resync and dist/audit, to deploy
\`\`\`

\`kinds/\` has one file for each kind; \`reconciler.config.ts\` lists them.
`;
