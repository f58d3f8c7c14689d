import { kinds } from '../support/config.ts';
import type { Explained } from './causes.ts';
import type { LogLines } from './log-lines.ts';
import { bounds, type MemoryReport } from './memory.ts';
import type { OwnWrite } from './record.ts';

/** An invariant and its violations. */
export interface Check {
  readonly name: string;
  /** A short summary of what was measured, also without violations. */
  readonly measured: string;
  readonly faults: readonly string[];
}

export const checkMemory = (reports: readonly MemoryReport[]): Check => ({
  name: 'memory is flat',
  measured: reports
    .map(
      ({ name, heap, heapGrowth, rss, rssGrowth }) =>
        `${name} heap ${mib(heap)} (${signed(heapGrowth)}), RSS ${mib(rss)} (${signed(rssGrowth)})`,
    )
    .join('; '),
  faults: reports.flatMap(({ name, heapGrowth, rssGrowth }) => [
    ...(heapGrowth > bounds.heapGrowth
      ? [`${name}: the heap grew by ${mib(heapGrowth)}, more than ${mib(bounds.heapGrowth)}`]
      : []),
    ...(rssGrowth > bounds.rssGrowth
      ? [`${name}: the RSS grew by ${mib(rssGrowth)}, more than ${mib(bounds.rssGrowth)}`]
      : []),
  ]),
});

const mib = (value: number): string => `${value.toFixed(1)} MiB`;
const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(1)}`;

export function checkCauses(explained: readonly Explained[]): Check {
  const counts = Map.groupBy(explained, ({ cause }) => cause);
  return {
    name: 'every write has one cause',
    measured: [...counts].map(([cause, all]) => `${cause} ${all.length}`).join(', '),
    faults: (counts.get('unexplained') ?? []).map(({ write }) => describe(write)),
  };
}

export const describe = ({
  at,
  sender,
  verb,
  manager,
  key,
  subresource,
  owner,
}: OwnWrite): string =>
  [
    new Date(at).toISOString().slice(11, 23),
    `${sender}: ${verb} ${key}${subresource === '' ? '' : `/${subresource}`}`,
    ...(manager === '' ? [] : [`as ${manager}`]),
    ...(owner === undefined ? [] : [`for ${owner}`]),
  ].join(' ');

/** Checks for writes to foreign objects in the server's responses, and for changes of fingerprints. */
export function checkForeign(
  writes: readonly OwnWrite[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Check {
  const ours = new Set(kinds.map(({ kind }) => kind));
  const children = writes.filter(
    ({ key, subresource }) => subresource !== 'status' && !key.startsWith('events '),
  );
  const known = new Set<string>();
  const strange = children.filter((write) => {
    const { verb, controller, uid } = write;
    if (verb === 'delete') return !known.has(uid);
    known.add(uid);
    return controller === undefined || !ours.has(controller.kind);
  });
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const changed = keys.filter((key) => before.get(key) !== after.get(key));
  return {
    name: 'nothing foreign is touched',
    measured: `${before.size} objects of others unchanged, ${children.length} writes of children`,
    faults: [
      ...strange.map((write) => `not ours: ${describe(write)}`),
      ...changed.map(
        (key) => `changed: ${key}\n  from ${before.get(key)}\n  to   ${after.get(key)}`,
      ),
    ],
  };
}

export const checkLines = ({ counts, unexpected }: LogLines): Check => ({
  name: 'nothing unexpected is logged',
  measured: [...counts].map(([message, count]) => `${message} ${count}`).join(', '),
  faults: unexpected,
});
