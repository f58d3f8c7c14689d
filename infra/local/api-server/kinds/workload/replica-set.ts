import { isObject, objectAt, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { type Strategy, specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';
import { replicaSetPrinter } from './printers.ts';
import { selectorErrors } from './selector.ts';

const replicaSet: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  isNewGeneration: specChanged,
  statusResetFields: [['spec'], ['metadata', 'labels']],
  defaults: (object) => {
    if (!isObject(object.spec)) return;
    setDefault(object.spec, 'replicas', 1);
    defaultPodTemplate(objectAt(object.spec, 'template'));
  },
  validate: (object) => selectorErrors(object),
};

export const replicaSetKind: KindEntry = {
  group: 'apps',
  kind: 'ReplicaSet',
  strategy: replicaSet,
  printer: replicaSetPrinter,
};
