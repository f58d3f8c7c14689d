import {
  type AuditedKind,
  controlPlane,
  endingType,
  garbageCollector,
  writeVerbs,
} from '../../../shared/audit/filter.ts';
import { decisionKey, timedOut } from '../../../shared/audit/record.ts';
import { dryRunLabel } from '../../../shared/google/log-entry.ts';
import { includesType, isCustom, isSameType, type TypeName } from '../../../shared/kubernetes.ts';
import { holds, type LogCondition, queryOf } from './log-condition.ts';
import { methodGroup } from './log-names.ts';

export interface ClusterName {
  readonly project: string;
  readonly location: string;
  readonly cluster: string;
}

export interface SinkOptions extends ClusterName {
  readonly ownIdentity: readonly string[];
  /** Undefined or empty means the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
}

/** Each exclusion can be disabled separately. */
interface SinkConditions {
  readonly filter: LogCondition;
  readonly exclusions: readonly { readonly name: string; readonly condition: LogCondition }[];
}

const method = ['protoPayload', 'methodName'];
const principal = ['protoPayload', 'authenticationInfo', 'principalEmail'];

/** Forwards every entry that needs a run (`dropReason`), except entries about Leases. Few other entries pass. */
export function sinkConditions(
  kinds: readonly AuditedKind[],
  options: SinkOptions,
): SinkConditions {
  const owned = kinds.flatMap((kind) => kind.owns);
  const referred = kinds.flatMap((kind) => kind.refersTo);
  const children = owned.filter((type) => !includesType([...kinds, ...referred], type));
  const all = [
    ...kinds.map(methodPattern),
    ...owned.map(ownedPattern),
    ...referred.map(referredPattern),
  ];
  return conditionsFor(
    { all: alternatives(all), children: alternatives(children.map(ownedPattern)) },
    options,
  );
}

/** Puts `%s` in place of values that depend on the installation. */
export function sinkTemplates() {
  const hole = '%s';
  const options = { project: hole, location: hole, cluster: hole, ownIdentity: [], namespaces: [] };
  const { filter, exclusions } = sinkFilter(conditionsFor({ all: hole, children: hole }, options));
  return {
    filter,
    namespaces: queryOf(withinNamespaces(hole)),
    identity: queryOf(isUser(hole)),
    childWrites: queryOf(isWriteOf(hole)),
    exclusions,
  };
}

/** Regular expressions of method names, as alternatives: `a|b`. */
interface AuditedMethods {
  readonly all: string;
  readonly children: string;
}

function conditionsFor(methods: AuditedMethods, options: SinkOptions): SinkConditions {
  // Sorts the names and removes duplicates, so that the filter is the same as Terraform's.
  const namespaces = [...new Set(options.namespaces)].sort().join('|');
  return {
    filter: {
      all: [
        { logId: 'cloudaudit.googleapis.com/activity' },
        { field: ['resource', 'type'], equals: 'k8s_cluster' },
        { field: ['resource', 'labels', 'project_id'], equals: options.project },
        { field: ['resource', 'labels', 'location'], equals: options.location },
        { field: ['resource', 'labels', 'cluster_name'], equals: options.cluster },
        { field: ['protoPayload', 'serviceName'], equals: 'k8s.io' },
        isWriteOf(methods.all),
        ...(namespaces === '' ? [] : [withinNamespaces(namespaces)]),
      ],
    },
    exclusions: [
      ...ownWrites(options.ownIdentity, methods.children),
      {
        name: 'control-plane',
        condition: {
          all: [
            { field: principal, matches: controlPlane },
            { not: isUser(garbageCollector) },
            { not: { field: method, matches: `^${methodPattern(endingType)}\\.status\\.` } },
          ],
        },
      },
      {
        name: 'failed',
        condition: {
          all: [
            { field: ['protoPayload', 'status', 'code'], above: 0 },
            { not: onlyResponseFailed },
          ],
        },
      },
      {
        name: 'dry-run',
        condition: {
          all: [
            { field: ['labels', dryRunLabel], present: true },
            { not: { field: method, matches: '\\.delete(collection)?$' } },
          ],
        },
      },
      { name: 'leases', condition: { field: method, matches: '\\.coordination\\.v1\\.leases\\.' } },
    ],
  };
}

/** Renders the sink in the logging query language, for `google_logging_project_sink`. */
export const sinkFilter = ({ filter, exclusions }: SinkConditions) => ({
  filter: queryOf(filter),
  exclusions: exclusions.map(({ name, condition }) => ({ name, filter: queryOf(condition) })),
});

/** Returns what drops an entry: the name of an exclusion, or `filter`; undefined if the sink forwards the entry. */
export function sinkRefusal({ filter, exclusions }: SinkConditions, entry: unknown) {
  if (!holds(filter, entry)) return 'filter';
  return exclusions.find(({ condition }) => holds(condition, entry))?.name;
}

/**
 * Excludes our own writes to children of these types. Callers must omit types that are also kinds or types of
 * referenced objects, because our own write to such an object may require a run for another resource.
 */
function ownWrites(ownIdentity: readonly string[], children: string) {
  const condition = { all: [{ any: ownIdentity.map(isUser) }, isWriteOf(children)] };
  return ownIdentity.length === 0 ? [] : [{ name: 'own-writes', condition }];
}

const failureMessage = ['protoPayload', 'status', 'message'];

/** Matches failed requests that may nevertheless have written something (see `shared/audit/record.ts`). */
const onlyResponseFailed: LogCondition = {
  all: [
    { field: ['labels', decisionKey], equals: 'allow' },
    {
      any: [
        { field: method, matches: '\\.deletecollection$' },
        { not: { field: failureMessage, present: true } },
        { field: failureMessage, matches: timedOut },
      ],
    },
  ],
};

const isUser = (name: string): LogCondition => ({ field: principal, equals: name });

/** Matches writes in these namespaces and writes outside all namespaces, because `dropReason` keeps both. */
const withinNamespaces = (names: string): LogCondition => ({
  any: [isInNamespace(`(${names})(/|$)`), { not: isInNamespace('') }],
});

const isInNamespace = (rest: string): LogCondition => ({
  field: ['protoPayload', 'resourceName'],
  matches: `^[^/]+/[^/]+/namespaces/${rest}`,
});

const isWriteOf = (methods: string): LogCondition => ({
  field: method,
  matches: `^(${methods})(\\.scale)?\\.(${writeVerbs.join('|')})$`,
});

const alternatives = (patterns: readonly string[]): string =>
  [...new Set(patterns)].sort().join('|');

/** Matches all versions of a type, because clients may use any of them. */
export const methodPattern = ({ group, plural }: TypeName): string =>
  `${methodGroup(group).replaceAll('.', '\\.')}\\.[^.]+\\.${plural}`;

/**
 * Matches writes to a type that resources refer to. Includes status writes only for a custom type, because the
 * control plane writes the status of built-in types.
 */
export const referredPattern = (type: TypeName): string =>
  isCustom(type) ? `${methodPattern(type)}(\\.status)?` : methodPattern(type);

/** Matches writes to a child type. For Jobs, includes status writes, because the status reports a Job's end. */
export const ownedPattern = (type: TypeName): string =>
  isSameType(type, endingType) ? `${methodPattern(type)}(\\.status)?` : methodPattern(type);
