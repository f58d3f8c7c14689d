import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { goQuote } from '../../go/print.ts';
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { misnamed, negative, unlisted } from '../../objects/field-rules.ts';
import { labelSelectorErrors } from '../../objects/label-rules.ts';
import { dnsLabel, domainPath } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { labelTestOf } from '../../selectors/label-selector.ts';
import { templateErrors } from '../pod/validation/pod.ts';

/** Validates a Job. */
export function jobErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const own = [...jobSpecErrors(spec, 'spec'), ...selectorErrors(spec)];
  return [
    ...generatedErrors(object, spec),
    ...own,
    ...hostNameErrors(object, spec),
    // The server validates the spec twice in an update.
    ...(old ? [...own, ...changeErrors(spec, objectAt(old, 'spec'), objectAt(old, 'status'))] : []),
  ];
}

/** Validates the fields that a Job and a CronJob's template have in common. */
export function jobSpecErrors(spec: JsonObject, path: string): FieldError[] {
  return [
    ...negative(spec, path, [
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ]),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...(spec.managedBy === undefined
      ? []
      : misnamed(textAt(spec, 'managedBy'), `${path}.managedBy`, domainPath)),
    ...modeErrors(spec, path),
    ...replacementErrors(spec, `${path}.podReplacementPolicy`),
    ...templateErrors(objectAt(spec, 'template'), `${path}.template`),
    ...restartErrors(spec, `${path}.template.spec.restartPolicy`),
  ];
}

/** Shows a success policy in the server's own structure. */
function shownOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  return {
    Rules: objectsAt(value, 'rules').map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    })),
  };
}

const modes = ['NonIndexed', 'Indexed'];
const maxIndexed = 100_000;

function modeErrors(spec: JsonObject, path: string): FieldError[] {
  const { completionMode: mode = 'NonIndexed' } = spec;
  if (mode === 'Indexed') return indexedErrors(spec, path);
  const needsIndexes = 'requires indexed completion mode';
  return [
    ...unlisted(mode, `${path}.completionMode`, modes),
    ...(mode === 'NonIndexed'
      ? ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'].flatMap((field) =>
          spec[field] === undefined
            ? []
            : [invalid(`${path}.${field}`, shownOf(spec[field]), needsIndexes)],
        )
      : []),
  ];
}

function indexedErrors(spec: JsonObject, path: string): FieldError[] {
  const { completions } = spec;
  const [parallelism = 0, failed = 0] = ['parallelism', 'maxFailedIndexes'].map(
    (field) => numberAt(spec, field) ?? 0,
  );
  const bound = `must be less than or equal to ${maxIndexed}`;
  return [
    ...(completions === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(parallelism > maxIndexed
      ? [invalid(`${path}.parallelism`, parallelism, `${bound} when completion mode is Indexed`)]
      : []),
    ...(typeof completions === 'number' && failed > completions
      ? [invalid(`${path}.maxFailedIndexes`, failed, 'must be less than or equal to completions')]
      : []),
    ...(failed > maxIndexed ? [invalid(`${path}.maxFailedIndexes`, failed, bound)] : []),
  ];
}

function replacementErrors(spec: JsonObject, path: string): FieldError[] {
  const { podReplacementPolicy: policy } = spec;
  if (policy === undefined) return [];
  const known = isObject(spec.podFailurePolicy) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return unlisted(policy, path, known);
}

function restartErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  const known = ['OnFailure', 'Never'];
  if (policy === '' || policy === 'Always') {
    return [required(path, `valid values: ${known.map(goQuote).join(', ')}`)];
  }
  if (!known.includes(policy)) return [notSupported(path, policy, known)];
  return policy !== 'Never' && isObject(spec.podFailurePolicy)
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

function selectorErrors({ selector, template }: JsonObject): FieldError[] {
  const { labels = null } = objectAt(objectAt({ template }, 'template'), 'metadata');
  const mismatch = invalid(
    'spec.template.metadata.labels',
    labels,
    '`selector` does not match template `labels`',
  );
  if (!isObject(selector)) return [required('spec.selector'), mismatch];
  const wrong = labelSelectorErrors(selector, 'spec.selector');
  const matches = (): boolean => labelTestOf(selector)((labels ?? {}) as Record<string, string>);
  return wrong.length > 0 || matches() ? wrong : [mismatch];
}

/** Requires the generated selector and labels to be unchanged. */
function generatedErrors({ metadata }: KubeObject, spec: JsonObject): FieldError[] {
  if (spec.manualSelector === true || !isObject(spec.selector)) return [];
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const sorted = Object.fromEntries(Object.entries(labels).sort());
  const wanted = ownLabels(metadata);
  const field = 'spec.template.metadata.labels';
  return [
    ...Object.entries(wanted).flatMap(([key, value]) => {
      if (labels[key] === value) return [];
      const why = `must be '${value}'`;
      const place = `${field}[${key}]`;
      return labels[key] === undefined ? [required(place, why)] : [invalid(place, sorted, why)];
    }),
    ...(labelTestOf(spec.selector)(wanted)
      ? []
      : [invalid('spec.selector', spec.selector, '`selector` not auto-generated')]),
  ];
}

/** Returns the labels of a Job's pods. */
export function ownLabels({ uid, name }: KubeObject['metadata']): Record<string, string> {
  return {
    'controller-uid': uid ?? '',
    'job-name': name ?? '',
    'batch.kubernetes.io/controller-uid': uid ?? '',
    'batch.kubernetes.io/job-name': name ?? '',
  };
}

/** The index of a pod is part of its host name. */
function hostNameErrors({ metadata }: KubeObject, spec: JsonObject): FieldError[] {
  const completions = numberAt(spec, 'completions') ?? 0;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const host = `${metadata.name}-${completions - 1}`;
  if (dnsLabel(host).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${host}`;
  return [invalid('metadata.name', metadata.name, why)];
}

const immutable = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];

function changeErrors(spec: JsonObject, old: JsonObject, status: JsonObject): FieldError[] {
  const changed = (field: string): FieldError[] =>
    isSemanticallyEqual(spec[field], old[field])
      ? []
      : [invalid(`spec.${field}`, spec[field] ?? null, 'field is immutable')];
  return [
    ...(spec.completionMode === 'Indexed' ? completionsErrors(spec, old) : changed('completions')),
    ...changed('selector'),
    ...templateChanged(spec, old, status),
    ...immutable.flatMap(changed),
  ];
}

function completionsErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const { completions, parallelism } = spec;
  if (completions === undefined || completions === old.completions) return [];
  if (completions === parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [invalid('spec.completions', completions, why)];
}

/** Allows a change of placement and resources while a Job is suspended and no pod has run. */
function templateChanged(spec: JsonObject, old: JsonObject, status: JsonObject): FieldError[] {
  const isOpen = old.suspend === true && status.startTime === undefined && !status.active;
  const fixed = (template: JsonObject): unknown => (isOpen ? withoutPlacement(template) : template);
  const [now, before] = [spec, old].map((one) => fixed(objectAt(one, 'template')));
  if (isSemanticallyEqual(now, before)) return [];
  return [invalid('spec.template', objectAt(spec, 'template'), 'field is immutable')];
}

const placement = ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates'];

function withoutPlacement(template: JsonObject): JsonObject {
  const spec = Object.entries(objectAt(template, 'spec'))
    .filter(([field]) => !placement.includes(field))
    .map(([field, value]) => [
      field,
      field.endsWith('ontainers') && Array.isArray(value) ? value.map(withoutResources) : value,
    ]);
  return { spec: Object.fromEntries(spec) };
}

function withoutResources(container: unknown): unknown {
  if (!isObject(container)) return container;
  const { resources: _, ...rest } = container;
  return rest;
}
