import type { FieldError } from '../../errors/field-error.ts';
import { invalid, notSupported, required } from '../../errors/field-error.ts';
import { ensureObject, isObject, type JsonObject, objectAt, setDefault } from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { amountOf, negative, shareErrors, wholeErrors } from '../../objects/field-rules.ts';
import { labelSelectorErrors } from '../../objects/label-rules.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Strategy, specChanged } from '../../resources/strategy.ts';
import { labelTestOf } from '../../selectors/label-selector.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';
import { podTemplateErrors } from '../pod/validation/pod.ts';
import { daemonSetPrinter } from './printers.ts';
import { selectorImmutable } from './selector.ts';

const daemonSet: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  defaults: (object) => {
    if (isObject(object.spec)) defaultSpec(object.spec);
    countTemplates(object, templatesOf(object));
  },
  prepareForCreate: (object) => countTemplates(object, Math.max(templatesOf(object), 1)),
  prepareForUpdate: (object, old) => {
    const [template, before] = [object, old].map((one) => objectAt(one, 'spec').template);
    const isSame = isSemanticallyEqual(template, before);
    countTemplates(object, templatesOf(old) + (isSame ? 0 : 1));
  },
  validate: daemonSetErrors,
};

/** The number of templates is in an annotation, and formerly was a field. */
const countAnnotation = 'deprecated.daemonset.template.generation';

function templatesOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[countAnnotation] ?? 0) || 0;
}

function countTemplates({ metadata }: KubeObject, count: number): void {
  metadata.annotations = { ...metadata.annotations, [countAnnotation]: String(count) };
}

function defaultSpec(spec: JsonObject): void {
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', 1);
    setDefault(rolling, 'maxSurge', 0);
  }
  setDefault(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(ensureObject(spec, 'template'));
}

function daemonSetErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  return [
    ...(old ? selectorImmutable(object, old) : []),
    ...selectorErrors(spec),
    ...podTemplateErrors(objectAt(spec, 'template'), 'spec.template', { owner: 'DaemonSet' }),
    ...negative(spec, 'spec', ['minReadySeconds']),
    ...strategyErrors(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...negative(spec, 'spec', ['revisionHistoryLimit']),
    ...negative(objectAt(object, 'status'), 'status', counts),
  ];
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

function selectorErrors({ selector, template }: JsonObject): FieldError[] {
  const labels = objectAt(objectAt({ template }, 'template'), 'metadata').labels;
  const mismatch = invalid(
    'spec.template.metadata.labels',
    labels ?? null,
    '`selector` does not match template `labels`',
  );
  if (!isObject(selector)) return [mismatch];
  const wrong = labelSelectorErrors(selector, 'spec.selector');
  if (wrong.length > 0) return wrong;
  if (Object.keys(selector).length === 0) {
    return [invalid('spec.selector', selector, 'empty selector is invalid for daemonset')];
  }
  return labelTestOf(selector)((labels ?? {}) as Record<string, string>) ? [] : [mismatch];
}

const strategies = ['RollingUpdate', 'OnDelete'];

function strategyErrors({ type, rollingUpdate }: JsonObject, path: string): FieldError[] {
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    // Shows the server's own structure in place of the field.
    const { maxUnavailable = 0, maxSurge = 0 } = objectAt({ rollingUpdate }, 'rollingUpdate');
    const shown = isObject(rollingUpdate)
      ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge }
      : null;
    return [notSupported(path, { Type: type, RollingUpdate: shown }, strategies)];
  }
  const field = `${path}.rollingUpdate`;
  if (!isObject(rollingUpdate)) return [required(field)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const isUnavailable = amountOf(maxUnavailable) !== 0;
  const isSurging = amountOf(maxSurge) !== 0;
  return [
    ...shareErrors(maxUnavailable, `${field}.maxUnavailable`),
    ...shareErrors(maxSurge, `${field}.maxSurge`),
    ...wholeErrors(maxUnavailable, `${field}.maxUnavailable`),
    ...wholeErrors(maxSurge, `${field}.maxSurge`),
    ...(isUnavailable && isSurging
      ? [invalid(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(isUnavailable || isSurging
      ? []
      : [required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]),
  ];
}

export const daemonSetKind: KindEntry = {
  group: 'apps',
  kind: 'DaemonSet',
  strategy: daemonSet,
  printer: daemonSetPrinter,
};
