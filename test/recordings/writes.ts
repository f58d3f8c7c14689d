import type { LocalCluster } from '@serverless-reconciler/local-cluster';
import { saltAnnotation } from '../../shared/kinds/names.ts';

/** A write with its body. */
export interface Write {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly body: unknown;
}

/** Collects the writes of all clients of an embedded cluster during a run. */
export const writesOver =
  (cluster: Pick<LocalCluster, 'intercept'>) =>
  async (run: () => Promise<unknown>): Promise<readonly Write[]> => {
    const writes: Write[] = [];
    const end = cluster.intercept(({ verb, path, body: text, ...target }) => {
      if (!isWriteVerb(verb) || path.includes('dryRun=')) return;
      const { resource, namespace, subresource } = target;
      const body = JSON.parse(text);
      const name = verb === 'create' ? body.metadata.name : target.name;
      writes.push({ verb, resource, namespace, name, subresource, body });
    });
    await run();
    end();
    return writes;
  };

const isWriteVerb = (verb: string): boolean => ['create', 'patch', 'delete'].includes(verb);

/**
 * Groups writes by the resource that they are for, in their order. `known` are the uids and versions before the first
 * write; others, times and salts differ from run to run.
 */
export function byResource(
  writes: readonly Write[],
  known: ReadonlySet<string>,
): Readonly<Record<string, readonly unknown[]>> {
  const groups = Map.groupBy(writes, ({ name }) => /^\w+-\d/.exec(name)?.[0] ?? name);
  const comparable = (field: string, value: unknown): unknown => {
    if (typeof value !== 'string')
      return field === 'status' ? withoutSalted(value as Status) : value;
    if (field === saltAnnotation) return 'salt';
    if (versioned.includes(field) && isVersion.test(value) && !known.has(value)) return 'later';
    return value
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'time')
      .replace(/(?<=^[\w-]+\.)[0-9a-f]{16}$/, 'digest')
      .replace(/^\w{7,8}(?=\.\d+\.[\w-]{12}\.)/, (uid) => (knows(uid) ? uid : 'later'));
  };
  const knows = (uid: string): boolean => [...known].some((one) => one.startsWith(uid));
  const own = (all: readonly Write[]) => JSON.parse(JSON.stringify(all, comparable));
  return Object.fromEntries([...groups].map(([name, all]) => [name, own(all)]));
}

interface Status {
  readonly children?: readonly { readonly kind: string }[];
  readonly lastApplied?: { readonly children: readonly string[] };
}

/** Omits the records of Secrets, which are salted. */
const withoutSalted = ({ children = [], lastApplied, ...status }: Status): Status => ({
  ...status,
  children,
  ...(lastApplied && {
    lastApplied: {
      ...lastApplied,
      children: lastApplied.children.filter((_, at) => children[at]?.kind !== 'Secret'),
    },
  }),
});

/** The fields that hold a uid or a version: `value` in a JSON patch. */
const versioned = ['uid', 'resourceVersion', 'value'];
const isVersion = /^(written.*|\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/;
