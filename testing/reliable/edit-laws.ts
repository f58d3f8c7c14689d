import { keyOfChild } from '../../infra/check/check-children.ts';
import { canonicalJson, isMap, isSameJson } from '../../shared/canonical.ts';
import { valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Reference, Resource } from '../../shared/kinds/reads.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { breach, laws } from '../law.ts';
import { isPassedOn, type SpecificationEdit } from '../specifications/specifications.ts';
import { listenedPorts } from './children-laws.ts';
import { containersOf, fieldsIn, podReferences, podTemplateOf } from './pod-template.ts';
import type { JudgedKind, Produced } from './specification-laws.ts';

interface Edited {
  readonly edit: SpecificationEdit;
  readonly before: Produced;
  readonly after: Produced;
}

/** Requires that an edit keeps the laws that can be checked without a cluster. */
export function judgeEdit(
  { kind, what, server, passedOn, ...place }: JudgedKind,
  { edit, before, after }: Edited,
): void {
  if (isPassedOn(passedOn, edit.path)) return;
  const pair: Pair = { before: before.children, after: after.children };
  const resource = {
    ...place,
    uid: 'uid-of-the-resource',
    createdAt: '2026-01-01T00:00:00Z',
    spec: after.spec,
  };
  const keepsNames = isSameJson(namesIn(before.spec), namesIn(after.spec));
  const found = [
    [laws.applied, server.ofEdit(kind, resource, pair)],
    [laws.referred, lostReferences(pair)],
    [laws.matched, formerPorts(pair)],
    [laws.restarted, unnoticed(pair, readIn(kind, resource))],
    [laws.kept, keepsNames ? replaced(pair) : []],
  ] as const;
  for (const [law, seen] of found) if (seen.length > 0) throw breach(law, what, seen);
}

/** Returns the values of all fields whose names end in `name`, at any depth. */
function namesIn(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    /name$/i.test(field) ? (inner ?? []) : namesIn(inner),
  );
}

interface Pair {
  readonly before: readonly Child[];
  readonly after: readonly Child[];
}

function lostReferences({ before, after }: Pair): readonly string[] {
  const lost = before.filter(
    (one) => !after.some((other) => keyOfChild(other) === keyOfChild(one)),
  );
  return after.flatMap((child) =>
    podReferences(podTemplateOf(child) ?? {}).flatMap(({ kind, name }) => {
      const named = lost.find((one) => one.type.kind === kind && one.name === name);
      return named === undefined
        ? []
        : [
            `${titleOfChild(child)}: its pods need ${titleOfChild(named)}, which is no longer desired`,
          ];
    }),
  );
}

/** Finds probes and target ports that use a port on which containers listened only before the edit. */
function formerPorts({ before, after }: Pair): readonly string[] {
  const ports = listenedPorts(after);
  const former = listenedPorts(before).filter((port) => !ports.includes(port));
  return after.flatMap((child) => {
    const probes = containersOf(podTemplateOf(child) ?? {}).flatMap((container) =>
      ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) =>
        ['httpGet', 'tcpSocket', 'grpc'].map(
          (how) => [`${probe}.${how}.port`, valueAt(container, probe, how, 'port')] as const,
        ),
      ),
    );
    const targets =
      child.type.kind === 'Service'
        ? fieldsIn(valueAt(child.body.spec, 'ports')).map(
            (port) => ['targetPort', port.targetPort] as const,
          )
        : [];
    return [...probes, ...targets]
      .filter(([, port]) => typeof port === 'number' && former.includes(port))
      .map(
        ([field, port]) =>
          `${titleOfChild(child)}: ${field} is still ${port}, but no container listens on this port any more`,
      );
  });
}

const readIn = (kind: Kind, resource: Resource<unknown>): readonly Reference[] => {
  const found = kind.references(resource);
  return 'invalid' in found ? [] : found;
};

/**
 * Finds pods that keep old content of a ConfigMap or Secret, because the pod template is unchanged. Does not compare
 * `filledIn` content of an object that the kind reads, because the next run may change the template.
 */
function unnoticed({ before, after }: Pair, read: readonly Reference[]): readonly string[] {
  return after.flatMap((child) => {
    const template = podTemplateOf(child);
    const former = before.find((one) => keyOfChild(one) === keyOfChild(child));
    if (template === undefined || former === undefined || !restarts.includes(child.type.kind))
      return [];
    if (textOf(template) !== textOf(podTemplateOf(former))) return [];
    return podReferences(template)
      .filter(({ atStart }) => atStart)
      .flatMap(({ kind, name, key }) => {
        const [was, is] = [before, after].map((list) =>
          list.find((one) => one.type.kind === kind && one.name === name),
        );
        if (was === undefined || is === undefined) return [];
        const isRead = read.some((one) => one.type.kind === kind && one.name === name);
        const [former, content] = [was, is].map((one) => [
          ...contentOf(one, key),
          ...(isRead ? [] : filledIn(one, key)),
        ]);
        return textOf(former) === textOf(content)
          ? []
          : [
              `${titleOfChild(child)}: its pods keep the former ${key ?? 'content'} of ${titleOfChild(is)}; use rollOnChange`,
            ];
      });
  });
}

const restarts = ['Deployment', 'StatefulSet', 'DaemonSet'];

const contentOf = ({ body }: Child, key: string | undefined): readonly unknown[] =>
  key === undefined
    ? [body.data, body.binaryData]
    : [valueAt(body.data, key), valueAt(body.binaryData, key)];

/** Returns the sources of the content that the engine adds to a ConfigMap or Secret. */
const filledIn = (
  { body, templates, generated }: Child,
  key: string | undefined,
): readonly unknown[] =>
  key === undefined
    ? [templates, generated?.rotation]
    : [templates?.[key], valueAt(body.data, key) === undefined && generated?.rotation];

const textOf = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value ?? null)));

/** Finds children whose data is lost, because the edit replaces them with others of the same type. */
function replaced({ before, after }: Pair): readonly string[] {
  const [lost, made] = [
    [before, after],
    [after, before],
  ].map(([one = [], other = []]) =>
    one
      .filter(holdsData)
      .filter((child) => !other.some((known) => keyOfChild(known) === keyOfChild(child))),
  );
  return (lost ?? []).flatMap((child) => {
    const successor = made?.find(({ type }) => type.kind === child.type.kind);
    return successor === undefined
      ? []
      : [
          `${titleOfChild(child)} is deleted with its data, and ${titleOfChild(successor)} is created`,
        ];
  });
}

/** False for a Secret with a certificate, because certificates are renewed anyway, before they expire. */
const holdsData = ({ type, body, generated }: Child): boolean =>
  type.kind === 'PersistentVolumeClaim' ||
  (generated !== undefined && generated.certificate === undefined) ||
  fieldsIn(valueAt(body as JsonObject, 'spec', 'volumeClaimTemplates')).length > 0;
