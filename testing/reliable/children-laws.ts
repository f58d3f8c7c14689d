import { unmatchedSelections } from '../../infra/check/selections.ts';
import { canonicalJson } from '../../shared/canonical.ts';
import { isFields, textAt, valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { generatedKeys } from '../../shared/kinds/references/generated-data.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import {
  isSelected,
  type LabelSelector,
  type Labels,
  requirementsOf,
} from '../../shared/label-selector.ts';
import { type Law, laws } from '../law.ts';
import { secretField, secretText } from '../specifications/strings.ts';
import { containersOf, fieldsIn, podReferences, podTemplateOf } from './pod-template.ts';

export const problemsByLaw = (
  children: readonly Child[],
  spec: JsonObject,
): readonly (readonly [Law, readonly string[]])[] => [
  [laws.matched, unmatchedSelections(children)],
  [laws.referred, children.flatMap((child) => missingKeys(child, children))],
  [laws.evictable, children.flatMap((child) => blockedEvictions(child, children))],
  [laws.secret, children.flatMap((child) => shownSecrets(child, spec))],
];

const missing = /undefined|\bNaN|\[object /;

/** Finds the first string with a missing value, such as `undefined`. Finds nothing if the spec contains such text. */
export function missingValues(child: Child, spec: JsonObject): readonly string[] {
  const found = stringsIn(child.body).find(([, text]) => missing.test(text));
  if (found === undefined || missing.test(canonicalJson(spec))) return [];
  return [`${titleOfChild(child)}: ${found[0]} is ${JSON.stringify(found[1])}`];
}

export function scalarsIn(value: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([field, inner]) => {
    const name = path === '' ? field : `.${field}`;
    return scalarsIn(inner, Array.isArray(value) ? `${path}[${field}]` : `${path}${name}`);
  });
}

const stringsIn = (value: unknown): readonly (readonly [string, string])[] =>
  scalarsIn(value).flatMap(([path, one]) =>
    typeof one === 'string' ? [[path, one] as const] : [],
  );

/** True if two items of a list have the same string in the same field. */
export function repeatsString(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const strings = Array.isArray(value)
    ? value.flatMap((item) => [...new Set(stringsIn(item).map((one) => one.join('=')))])
    : [];
  return new Set(strings).size < strings.length || Object.values(value).some(repeatsString);
}

/** Finds keys that pods read, but that are missing in the resource's ConfigMaps and Secrets. */
function missingKeys(child: Child, children: readonly Child[]): readonly string[] {
  const template = podTemplateOf(child);
  if (template === undefined) return [];
  return podReferences(template).flatMap(({ kind, name, key }) => {
    const named = children.find((one) => one.type.kind === kind && one.name === name);
    if (named === undefined || key === undefined) return [];
    const { data, binaryData } = named.body;
    const parts = [data, binaryData, named.templates];
    const keys = parts.flatMap((one) => (isFields(one) ? Object.keys(one) : []));
    return [...keys, ...(named.generated ? generatedKeys(named.generated) : [])].includes(key)
      ? []
      : [
          `${titleOfChild(child)}: its pods read the key ${key}, but ${titleOfChild(named)} has ${keys.length === 0 ? 'no keys' : `only ${keys.join(', ')}`}`,
        ];
  });
}

/** Finds a PodDisruptionBudget that allows no eviction while its workloads have their minimum number of pods. */
function blockedEvictions(child: Child, children: readonly Child[]): readonly string[] {
  if (child.type.kind !== 'PodDisruptionBudget') return [];
  const { selector, minAvailable = 0, maxUnavailable } = (child.body.spec ?? {}) as JsonObject;
  const requirements = isFields(selector) ? requirementsOf(selector as LabelSelector) : 'none';
  if (typeof requirements === 'string') return [];
  const workloads = children.filter((one) => {
    const labels = valueAt(podTemplateOf(one), 'metadata', 'labels');
    return isFields(labels) && isSelected(requirements, labels as Labels);
  });
  const pods = workloads.reduce((sum, one) => sum + podsOf(one, children), 0);
  const needed =
    maxUnavailable === undefined
      ? amountOf(minAvailable, pods)
      : pods - amountOf(maxUnavailable, pods);
  return pods > 0 && needed >= pods
    ? [
        `${titleOfChild(child)}: it allows no eviction of the ${pods} pods of ${workloads.map(titleOfChild).join(' and ')}, so their nodes cannot be drained`,
      ]
    : [];
}

/** Rounds percentages up, as Kubernetes does even for `maxUnavailable`. */
const amountOf = (share: unknown, pods: number): number =>
  typeof share === 'number' ? share : Math.ceil((Number.parseInt(`${share}`, 10) * pods) / 100);

/** Returns the autoscaler's minimum; without an autoscaler, the workload's replicas. */
function podsOf(workload: Child, children: readonly Child[]): number {
  const scaler = children.find(
    ({ type, body }) =>
      type.kind === 'HorizontalPodAutoscaler' &&
      textAt(body.spec, 'scaleTargetRef', 'kind') === workload.type.kind &&
      textAt(body.spec, 'scaleTargetRef', 'name') === workload.name,
  );
  const least = scaler === undefined ? undefined : (valueAt(scaler.body.spec, 'minReplicas') ?? 1);
  return Number(least ?? valueAt(workload.body.spec, 'replicas') ?? 1);
}

function shownSecrets(
  { type, body, labels, annotations, ...child }: Child,
  spec: JsonObject,
): readonly string[] {
  if (type.kind === 'Secret') return [];
  const values = stringsIn(spec).filter(
    ([path, text]) => secretField.test(path) && text.startsWith(secretText),
  );
  const shown = stringsIn({ ...body, metadata: { labels, annotations } });
  return values.flatMap(([field, value]) =>
    shown
      .filter(([, text]) => text.includes(value))
      .map(([path]) => `${titleOfChild({ type, ...child })}: ${path} shows spec.${field}`),
  );
}

export const listenedPorts = (children: readonly Child[]): readonly unknown[] =>
  children
    .flatMap((child) => containersOf(podTemplateOf(child) ?? {}))
    .flatMap(({ ports }) => fieldsIn(ports).map(({ containerPort }) => containerPort));
