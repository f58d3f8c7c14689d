import { isObject, objectAt, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { type Strategy, specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';
import { cronJobErrors } from './cron-job-validation.ts';
import { cronJobPrinter } from './printers.ts';

const cronJob: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  defaults: ({ spec }) => {
    if (!isObject(spec)) return;
    setDefault(spec, 'concurrencyPolicy', 'Allow');
    setDefault(spec, 'suspend', false);
    setDefault(spec, 'successfulJobsHistoryLimit', 3);
    setDefault(spec, 'failedJobsHistoryLimit', 1);
    defaultPodTemplate(objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'template'));
  },
  validate: cronJobErrors,
};

export const cronJobKind: KindEntry = {
  group: 'batch',
  kind: 'CronJob',
  strategy: cronJob,
  printer: cronJobPrinter,
};
