import type { FieldError } from '../../../errors/field-error.ts';
import { forbidden, invalid } from '../../../errors/field-error.ts';
import {
  type JsonObject,
  jsonEqual,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { isSemanticallyEqual } from '../../../objects/equality.ts';
import { tolerationErrors } from './tolerations.ts';

/** Validates a change of a pod's spec. */
export function podUpdateErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const resized = ['containers', 'initContainers'].find(
    (list) => objectsAt(spec, list).length !== objectsAt(old, list).length,
  );
  if (resized !== undefined) {
    return [forbidden(`spec.${resized}`, 'pod updates may not add or remove containers')];
  }
  const deadline = deadlineErrors(spec, old);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return deadline;
  return [
    ...deadline,
    ...addedTolerationErrors(spec, old),
    ...addedGateErrors(spec, old),
    ...gatedErrors(spec, old),
    ...fixedErrors(spec, old),
  ];
}

function deadlineErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const former = numberAt(old, 'activeDeadlineSeconds');
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (former === undefined) return [];
  if (deadline === undefined) {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return former < deadline
    ? [invalid(field, deadline, 'must be less than or equal to previous value')]
    : [];
}

function addedTolerationErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const untimed = ({ tolerationSeconds: _, ...toleration }: JsonObject) => toleration;
  const kept = objectsAt(spec, 'tolerations').map(untimed);
  const isKept = (toleration: JsonObject) =>
    kept.some((one) => jsonEqual(one, untimed(toleration)));
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  return objectsAt(old, 'tolerations').every(isKept)
    ? // Reported twice, as in the real server.
      tolerationErrors(spec, 'spec')
    : [forbidden('spec.tolerations', why)];
}

function addedGateErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const names = objectsAt(old, 'schedulingGates').map((gate) => textAt(gate, 'name'));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return names.includes(name) ? [] : [forbidden(`spec.schedulingGates[${index}].name`, why)];
  });
}

const isGated = (spec: JsonObject) => objectsAt(spec, 'schedulingGates').length > 0;

/** Validates what may be added to a pod as long as it is gated. */
function gatedErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  return isGated(old) ? [...nodeSelectorErrors(spec, old), ...nodeAffinityErrors(spec, old)] : [];
}

function nodeSelectorErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const selector = objectAt(spec, 'nodeSelector');
  const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  const former = Object.entries(objectAt(old, 'nodeSelector'));
  return former.every(([label, value]) => selector[label] === value)
    ? []
    : [invalid('spec.nodeSelector', Object.fromEntries(Object.entries(selector).sort()), why)];
}

function nodeAffinityErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const former = nodeTermsOf(old);
  const terms = nodeTermsOf(spec);
  if (former.length === 0) return [];
  if (former.length !== terms.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(nodeTermsField, terms.map(shownTerm), why)];
  }
  const why = 'only additions are allowed (no mutations or deletions)';
  return terms.flatMap((term, index) =>
    isExtended(term, former[index] ?? {})
      ? []
      : [invalid(`${nodeTermsField}[${index}]`, shownTerm(term), why)],
  );
}

/** Shows the server's own structure in place of a term. */
function shownTerm({ matchExpressions, matchFields }: JsonObject): JsonObject {
  const shown = (requirements: unknown) =>
    Array.isArray(requirements)
      ? requirements.map(({ key, operator, values = null }) => ({
          Key: key,
          Operator: operator,
          Values: values,
        }))
      : null;
  return { MatchExpressions: shown(matchExpressions), MatchFields: shown(matchFields) };
}

const nodeTermsField =
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

function nodeTermsOf(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const terms = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return objectsAt(terms, 'nodeSelectorTerms');
}

/** Reports whether a term keeps its requirements; one without any matches no node and gets none. */
function isExtended(term: JsonObject, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const isEmpty = (one: JsonObject) => lists.every((list) => objectsAt(one, list).length === 0);
  if (isEmpty(old)) return isEmpty(term);
  return lists.every((list) => {
    const former = objectsAt(old, list);
    return isSemanticallyEqual(objectsAt(term, list).slice(0, former.length), former);
  });
}

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** The real server adds a diff of its own structures. */
function fixedErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  if (isSemanticallyEqual(fixedPart(spec, old), fixedPart(old, old))) return [];
  const why = `pod updates may not change fields other than ${changeable.join(',')}`;
  return [forbidden('spec', why)];
}

/** The part of a spec that an update of a pod with the spec `old` cannot change. */
function fixedPart(spec: JsonObject, old: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, schedulingGates: __, tolerations: ___, ...fixed } = spec;
  const withoutImages = (list: string) =>
    objectsAt(spec, list).map(({ image: _image, ...container }) => container);
  const ending = numberAt(spec, 'terminationGracePeriodSeconds');
  const isEnded = ending === 1 && (numberAt(old, 'terminationGracePeriodSeconds') ?? 0) < 0;
  const { nodeAffinity, ...affinity } = objectAt(spec, 'affinity');
  return {
    ...fixed,
    containers: withoutImages('containers'),
    initContainers: withoutImages('initContainers'),
    terminationGracePeriodSeconds: isEnded ? old.terminationGracePeriodSeconds : ending,
    nodeSelector: isGated(old) ? undefined : fixed.nodeSelector,
    affinity: isGated(old) ? affinity : { ...affinity, nodeAffinity },
  };
}
