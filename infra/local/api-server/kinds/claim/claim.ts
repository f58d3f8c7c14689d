import { isObject, listAt, objectAt, setDefault, textAt } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { claimChanged, claimErrors } from './validation.ts';

const persistentVolumeClaim: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  returnDeletedObject: true,
  replacesSchemaValidation: true,
  validate: (object, old) => [
    ...claimErrors(objectAt(object, 'spec'), 'spec'),
    ...(old ? claimChanged(object, old) : []),
  ],
  defaults: (object) => {
    if (isObject(object.spec)) setDefault(object.spec, 'volumeMode', 'Filesystem');
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Pending' };
    const { metadata } = object;
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), protectionFinalizer])];
  },
};

/** Protects a claim while pods use it; a controller removes the finalizer. */
const protectionFinalizer = 'kubernetes.io/pvc-protection';

const claimPrinter = printer([
  cell('Status', (object) => textAt(objectAt(object, 'status'), 'phase')),
  cell('Volume', (object) => textAt(objectAt(object, 'spec'), 'volumeName')),
  cell('Capacity', (object) => textAt(objectAt(objectAt(object, 'status'), 'capacity'), 'storage')),
  cell('Access Modes', (object) => listAt(objectAt(object, 'status'), 'accessModes').join(',')),
  cell('StorageClass', (object) => textAt(objectAt(object, 'spec'), 'storageClassName')),
  cell('VolumeAttributesClass', () => '<unset>'),
  ageCell,
  cell('VolumeMode', (object) => textAt(objectAt(object, 'spec'), 'volumeMode'), { wide: true }),
]);

export const claimKind: KindEntry = {
  group: '',
  kind: 'PersistentVolumeClaim',
  strategy: persistentVolumeClaim,
  printer: claimPrinter,
};
