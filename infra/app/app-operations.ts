import { isConflict } from '../../shared/cluster/cluster-errors.ts';
import { retry } from '../../shared/cluster/retry.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '../../shared/kubernetes.ts';
import type { Run } from '../../shared/run/run.ts';
import { CommandError, UsageError } from '../cli/base/command-errors.ts';
import type { Session } from '../cli/base/session.ts';

/** The field manager of the fields that the `app` commands set. */
const manager = 'reconciler-app';

export interface Apps {
  readonly begin: () => Promise<Run>;
  readonly kind: Kind;
  readonly namespace: string;
}

export function appsOf(session: Session, namespace: string | undefined): Apps {
  const kind = session.config.kinds.find((one) => one.kind === 'ContainerApp');
  if (kind === undefined)
    throw new UsageError('KINDS does not include ContainerApp: add it, or unset KINDS');
  return { begin: session.begin, kind, namespace: namespace ?? session.namespace };
}

/** Throws a UsageError that says why the kind refuses the spec. */
function requireValid({ kind, namespace }: Apps, name: string, spec: JsonObject): void {
  const desired = kind.desired({
    name,
    namespace,
    uid: '',
    createdAt: '2026-01-01T00:00:00Z',
    spec,
  });
  if ('invalid' in desired)
    throw new UsageError(`ContainerApp ${namespace}/${name} would be refused: ${desired.invalid}`);
}

/** Creates a ContainerApp; leaves an existing one of that name untouched. */
export async function deploy(apps: Apps, name: string, spec: JsonObject): Promise<KubeObject> {
  const { begin, kind, namespace } = apps;
  requireValid(apps, name, spec);
  const { cluster } = await begin();
  // No live object has resourceVersion 1, so the server refuses the apply if the ContainerApp exists.
  const metadata = { name, namespace, resourceVersion: '1' };
  const manifest = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
  try {
    return await cluster.apply(kind, manifest, { manager });
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new CommandError(
      `ContainerApp ${namespace}/${name} already exists and was not changed: change it with app update ${name}, or choose another name`,
    );
  }
}

/**
 * Sets the given fields and leaves all others unchanged.
 *
 * Flow: read the newest version, merge, write locked to that version; start again on a conflict.
 * Guarantees: changes to other fields by concurrent writers are kept.
 */
export const update = (apps: Apps, name: string, changes: JsonObject): Promise<KubeObject> =>
  untilNoConflict(async () => {
    const { begin, kind, namespace } = apps;
    const { cluster } = await begin();
    const live = await newest(apps, name);
    const spec = live.spec as JsonObject;
    requireValid(apps, name, { ...spec, ...changes });
    const { resourceVersion } = live.metadata;
    const operations = Object.entries(changes).map(
      ([field, value]): JsonObject => ({ op: 'add', path: `/spec/${field}`, value }),
    );
    const patch = { resourceVersion, operations, manager };
    return cluster.patch(kind, { namespace, name }, patch);
  });

export const teardown = (apps: Apps, name: string): Promise<void> =>
  untilNoConflict(async () => {
    const { begin, kind, namespace } = apps;
    const { cluster } = await begin();
    const { uid, resourceVersion } = (await newest(apps, name)).metadata;
    await cluster.remove(kind, { namespace, name }, { uid, resourceVersion });
  });

/** Runs `attempt`; after a conflict, up to four more times. Each attempt must read the object before it writes. */
const untilNoConflict = <T>(attempt: () => Promise<T>): Promise<T> =>
  retry(attempt, { deadline: Date.now() + 10_000, backoffMs: 10, isTransient: isConflict });

async function newest({ begin, kind, namespace }: Apps, name: string): Promise<KubeObject> {
  const { cluster } = await begin();
  const live = await cluster.get(kind, { namespace, name });
  if (live !== undefined) return live;
  throw new CommandError(
    `NotFound: there is no ContainerApp ${namespace}/${name}; choose its namespace with -n, or list all with app list -A`,
  );
}
