import { ensureObject, isObject, type JsonObject, objectAt, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Strategy, specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';
import { jobErrors, ownLabels } from './job-validation.ts';
import { jobPrinter } from './printers.ts';

const job: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  orphansDependents: true,
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  defaults: (object) => {
    if (isObject(object.spec)) defaultSpec(object, object.spec);
  },
  prepareForCreate: selectOwnPods,
  validate: jobErrors,
  selectableFields: ({ status }) => ({
    'status.successful': String(objectAt({ status }, 'status').succeeded ?? 0),
  }),
};

function defaultSpec({ metadata }: KubeObject, spec: JsonObject): void {
  if (spec.parallelism === undefined) setDefault(spec, 'completions', 1);
  setDefault(spec, 'parallelism', 1);
  setDefault(spec, 'backoffLimit', spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1);
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'manualSelector', false);
  const replacement = spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  setDefault(spec, 'podReplacementPolicy', replacement);
  const template = ensureObject(spec, 'template');
  defaultPodTemplate(template);
  const { labels } = objectAt(template, 'metadata');
  // The identical object: the server adds the same labels to both.
  if (isObject(labels)) metadata.labels ??= labels as Record<string, string>;
}

/** Adds the uid and the name of the Job as labels of its pods and as their selector. */
function selectOwnPods({ metadata, spec }: KubeObject): void {
  if (!isObject(spec) || spec.manualSelector === true) return;
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  for (const [key, value] of Object.entries(ownLabels(metadata))) setDefault(labels, key, value);
  const matchLabels = ensureObject(ensureObject(spec, 'selector'), 'matchLabels');
  setDefault(matchLabels, 'batch.kubernetes.io/controller-uid', metadata.uid);
}

export const jobKind: KindEntry = {
  group: 'batch',
  kind: 'Job',
  strategy: job,
  printer: jobPrinter,
  fields: ['status.successful'],
};
