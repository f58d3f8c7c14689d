import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { present } from '../../../shared/json.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import type { ResourceType } from '../../../shared/kubernetes.ts';
import type { Loaded, LoadedProject, LoadOptions } from './project.ts';
import { fileDigest } from './watch-files.ts';

/**
 * Loads a configuration, sends its content and the files that it depends on to the parent process, and exits.
 *
 * Flow: module hooks compute the digest of each file before Node reads the file, so that no later change is missed. The
 * imports below are dynamic, so that the hooks see these modules.
 */
const { config, user, samples } = JSON.parse(process.argv[2] ?? '') as LoadOptions;
const files: Record<string, string> = {};

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (/^\.{1,2}\//.test(specifier)) note(new URL(specifier, context.parentURL).href);
      throw error;
    }
  },
  load(url, context, next) {
    note(url);
    return next(url, context);
  },
});

function note(url: string): void {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return;
  const file = fileURLToPath(url);
  files[file] ??= fileDigest(file);
}

note(pathToFileURL(config).href);
// Includes package.json, which decides whether a file is an ES module.
note(new URL('package.json', pathToFileURL(config)).href);

async function describe(): Promise<LoadedProject> {
  const { loadConfig } = await import('../../project/config-file.ts');
  const { defaultKinds } = await import('../../../shared/config/define-config.ts');
  const { parseConfig } = await import('../../../shared/config/config.ts');
  const { checkKinds } = await import('../../check/check-kinds.ts');
  const { installation } = await import('../../generate/install.ts');
  const { environmentOf } = await import('./project.ts');
  const reconciler = await loadConfig(config);
  const kinds = defaultKinds(reconciler);
  const { settings, localEnvironment, identity } = reconciler;
  const { name } = identity;
  const { problems, warnings } = await checkKinds(kinds);
  const chosen = parseConfig(reconciler, environmentOf({ localEnvironment }, process.env));
  return {
    name,
    settings,
    localEnvironment,
    problems,
    warnings,
    kinds: await Promise.all(
      kinds.map(async (kind) => ({
        ...dataOf(kind),
        digest: problems.length > 0 ? '' : await digestOfKind(kind),
      })),
    ),
    manifests: installation({ name, kinds, user, samples }),
    audited: {
      kinds: chosen.kinds.map(dataOf),
      namespaces: chosen.namespaces,
      ownIdentity: chosen.ownIdentity,
    },
  };
}

const dataOf = (kind: Kind) => ({
  ...typeOf(kind),
  conditions: kind.conditions,
  owns: kind.owns.map(typeOf),
  refersTo: kind.refersTo.map(typeOf),
});

const typeOf = ({ group, version, kind, plural, scope }: ResourceType): ResourceType => ({
  group,
  version,
  kind,
  plural,
  ...present({ scope }),
});

async function digestOfKind(kind: Kind): Promise<string> {
  const { sampleResources } = await import('../../generate/samples.ts');
  const { customResourceDefinition } = await import('../../generate/crd.ts');
  const desired = sampleResources(kind).map((resource) => [
    kind.desired(resource),
    kind.finalize?.(resource),
    kind.references(resource),
  ]);
  const text = JSON.stringify([customResourceDefinition(kind), desired, kind.reads]);
  return createHash('sha256').update(text).digest('base64');
}

async function load(): Promise<Loaded['result']> {
  try {
    return { project: await describe() };
  } catch (error) {
    const { ConfigError } = await import('../../../shared/environment.ts');
    if (!(error instanceof ConfigError)) return { error: String((error as Error).stack) };
    return { error: [error.message, locationOf(error.cause)].filter(Boolean).join(' ') };
  }
}

/** Returns the location of a syntax error in JavaScript, because Node prints it only for an uncaught error. */
function locationOf(cause: unknown): string | undefined {
  if (!(cause instanceof SyntaxError) || cause.stack?.includes('file://')) return undefined;
  for (const file of Object.keys(files).filter((name) => /\.m?js$/.test(name))) {
    const checked = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
    if (checked.status !== 0) return `(${checked.stderr.split('\n')[0]})`;
  }
  return undefined;
}

const result = await load();
process.send?.({ result, files } satisfies Loaded, () => process.exit());
