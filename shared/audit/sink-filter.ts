import type { ResourceType } from '../kubernetes.ts';
import { controlPlane, garbageCollector, writeVerbs } from './filter.ts';
import { holds, type LogCondition, queryOf } from './log-condition.ts';
import { methodGroup } from './resource-name.ts';
import type { AuditedKind } from './route.ts';

export interface ClusterName {
  readonly project: string;
  readonly location: string;
  readonly cluster: string;
}

export interface SinkOptions extends ClusterName {
  readonly ownIdentity: readonly string[];
  /** The namespaces the functions work in; undefined or none is the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
}

/** What a log sink forwards; each exclusion is one concern that can be switched off by itself. */
export interface SinkConditions {
  readonly filter: LogCondition;
  readonly exclusions: readonly { readonly name: string; readonly condition: LogCondition }[];
}

const method = ['protoPayload', 'methodName'];
const principal = ['protoPayload', 'authenticationInfo', 'principalEmail'];

/** The sink that forwards what `dropReason` keeps, and little else. */
export function sinkConditions(
  kinds: readonly AuditedKind[],
  options: SinkOptions,
): SinkConditions {
  const children = kinds.flatMap((kind) => kind.owns);
  return {
    filter: {
      all: [
        { logId: 'cloudaudit.googleapis.com/activity' },
        { field: ['resource', 'type'], equals: 'k8s_cluster' },
        { field: ['resource', 'labels', 'project_id'], equals: options.project },
        { field: ['resource', 'labels', 'location'], equals: options.location },
        { field: ['resource', 'labels', 'cluster_name'], equals: options.cluster },
        { field: ['protoPayload', 'serviceName'], equals: 'k8s.io' },
        { field: method, matches: writesOf([...kinds, ...children]) },
        ...within(options.namespaces ?? []),
      ],
    },
    exclusions: [
      ...ownWrites(options.ownIdentity, children),
      {
        name: 'control-plane',
        condition: {
          all: [
            { field: principal, matches: controlPlane },
            { not: { field: principal, equals: garbageCollector } },
          ],
        },
      },
      { name: 'failed', condition: { field: ['protoPayload', 'status', 'code'], above: 0 } },
      { name: 'dry-run', condition: { field: ['labels', 'command.gke.io/dryRun'], present: true } },
      { name: 'status', condition: { field: method, matches: '\\.status\\.(update|patch)$' } },
      { name: 'leases', condition: { field: method, matches: '\\.coordination\\.v1\\.leases\\.' } },
    ],
  };
}

/** The sink in the logging query language, as `google_logging_project_sink` takes it. */
export const sinkFilter = ({ filter, exclusions }: SinkConditions) => ({
  filter: queryOf(filter),
  exclusions: exclusions.map(({ name, condition }) => ({ name, filter: queryOf(condition) })),
});

/** Why a sink does not forward an entry: the exclusion's name or `filter`; undefined if it does. */
export function sinkRefusal({ filter, exclusions }: SinkConditions, entry: unknown) {
  if (!holds(filter, entry)) return 'filter';
  return exclusions.find(({ condition }) => holds(condition, entry))?.name;
}

/** Only children: the engine writes no resource, so a resource written under its name is a person's edit. */
function ownWrites(ownIdentity: readonly string[], children: readonly ResourceType[]) {
  const names = ownIdentity.map((name) => ({ field: principal, equals: name }));
  const condition = { all: [{ any: names }, { field: method, matches: writesOf(children) }] };
  return names.length === 0 ? [] : [{ name: 'own-writes', condition }];
}

/** Sorted and without duplicates, as in Terraform: the order given does not change the text. */
function within(namespaces: readonly string[]): readonly LogCondition[] {
  const names = [...new Set(namespaces)].sort().join('|');
  const matches = `/namespaces/(${names})/`;
  return names === '' ? [] : [{ field: ['protoPayload', 'resourceName'], matches }];
}

/** Any version: one client sends as v1 what another sends as v2. */
function writesOf(types: readonly Pick<ResourceType, 'group' | 'plural'>[]): string {
  const names = types.map(
    ({ group, plural }) => `${methodGroup(group).replaceAll('.', '\\.')}\\.[^.]+\\.${plural}`,
  );
  const alternatives = [...new Set(names)].sort().join('|');
  return `^(${alternatives})(\\.scale)?\\.(${writeVerbs.join('|')})$`;
}
