import { isObject, objectAt, setDefault, textAt } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { type Strategy, specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { podPrinter } from './printer.ts';
import { qosClassOf } from './quality.ts';
import { defaultPodSpec, defaultRequests } from './template-defaults.ts';
import { podSpecErrors } from './validation/pod.ts';
import { podUpdateErrors } from './validation/update.ts';

const pod: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  returnDeletedObject: true,
  isNewGeneration: specChanged,
  selectableFields: (object) => ({
    'spec.nodeName': textAt(objectAt(object, 'spec'), 'nodeName'),
    'spec.restartPolicy': textAt(objectAt(object, 'spec'), 'restartPolicy'),
    'spec.serviceAccountName': textAt(objectAt(object, 'spec'), 'serviceAccountName'),
    'status.phase': textAt(objectAt(object, 'status'), 'phase'),
  }),
  defaults: (object) => {
    if (!isObject(object.spec)) return;
    defaultPodSpec(object.spec);
    defaultRequests(object.spec);
    setDefault(object.spec, 'enableServiceLinks', true);
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Pending', qosClass: qosClassOf(objectAt(object, 'spec')) };
  },
  validate: (object, old) => {
    const spec = objectAt(object, 'spec');
    return [
      ...podSpecErrors(spec, 'spec'),
      ...(old ? podUpdateErrors(spec, objectAt(old, 'spec')) : []),
    ];
  },
};

export const podKind: KindEntry = {
  group: '',
  kind: 'Pod',
  strategy: pod,
  printer: podPrinter,
  fields: ['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'status.phase'],
};
