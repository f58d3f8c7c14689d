import type { FieldError } from '../../../errors/field-error.ts';
import { duplicate, forbidden, invalid, required, tooLong } from '../../../errors/field-error.ts';
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { needed, unlisted } from '../../../objects/field-rules.ts';
import { dnsLabel, dnsSubdomain } from '../../../objects/names.ts';
import { parseQuantity } from '../../../objects/quantity.ts';
import { claimErrors } from '../../claim/validation.ts';
import { backstepErrors, itemErrors, modeErrors } from './file-paths.ts';
import { fileErrors, projectionErrors } from './projections.ts';

/** The valid volumes of a pod, by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

/** Validates the volumes of a pod, and returns the valid volumes. */
export function checkVolumes(
  volumes: readonly JsonObject[],
  path: string,
): { readonly errors: readonly FieldError[]; readonly right: Volumes } {
  const right = new Map<string, JsonObject>();
  const errors = volumes.flatMap((volume, index) => {
    const field = `${path}[${index}]`;
    const name = textAt(volume, 'name');
    const wrong = [
      ...sourceErrors(volume, field),
      ...needed(name, `${field}.name`, dnsLabel),
      ...(right.has(name) ? [duplicate(`${field}.name`, name)] : []),
    ];
    if (wrong.length === 0) right.set(name, volume);
    return wrong;
  });
  return { errors, right };
}

type Find = (content: JsonObject, path: string) => FieldError[];

/** Volume types that are accepted without validation. */
const notValidated: Find = () => [];

const pathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const hostPath: Find = (content, path) => {
  const place = textAt(content, 'path');
  if (place === '') return [required(`${path}.path`)];
  return [
    ...backstepErrors(place, `${path}.path`),
    ...(content.type === undefined ? [] : unlisted(content.type, `${path}.type`, pathTypes)),
  ];
};

function named(field: string): Find {
  return (content, path) => (textAt(content, field) === '' ? [required(`${path}.${field}`)] : []);
}

/** Validates a volume whose files are the keys of an object. */
function filed(field: string): Find {
  return (content, path) => [
    ...named(field)(content, path),
    ...modeErrors(content.defaultMode, `${path}.defaultMode`),
    ...itemErrors(content, path),
  ];
}

const nfs: Find = (content, path) => {
  const place = textAt(content, 'path');
  return [
    ...named('server')(content, path),
    ...named('path')(content, path),
    ...(place.startsWith('/') ? [] : [invalid(`${path}.path`, place, 'must be an absolute path')]),
  ];
};

const csi: Find = (content, path) => {
  const driver = textAt(content, 'driver');
  const field = `${path}.driver`;
  if (driver === '') return [required(field)];
  return [
    ...(driver.length > 63 ? [tooLong(field, 63)] : []),
    ...dnsSubdomain(driver.toLowerCase()).map((why) => invalid(field, driver, why)),
  ];
};

const ephemeral: Find = (content, path) => {
  const { volumeClaimTemplate: template } = content;
  const field = `${path}.volumeClaimTemplate`;
  return isObject(template)
    ? claimErrors(objectAt(template, 'spec'), `${field}.spec`)
    : [required(field)];
};

const emptyDir: Find = (content, path) => {
  const { sizeLimit } = content;
  if (typeof sizeLimit !== 'string') return [];
  const { negative, digits } = parseQuantity(sizeLimit);
  const why = 'SizeLimit field must be a valid resource quantity';
  return negative && digits !== 0n ? [forbidden(`${path}.sizeLimit`, why)] : [];
};

const downwardAPI: Find = (content, path) => [
  ...modeErrors(content.defaultMode, `${path}.defaultMode`),
  ...objectsAt(content, 'items').flatMap((file) => fileErrors(file, path)),
];

/** In the server's order; if a volume has several sources, the first one counts. */
const knownSources: readonly (readonly [source: string, find: Find])[] = [
  ['emptyDir', emptyDir],
  ['hostPath', hostPath],
  ['gitRepo', notValidated],
  ['gcePersistentDisk', notValidated],
  ['awsElasticBlockStore', notValidated],
  ['secret', filed('secretName')],
  ['nfs', nfs],
  ['iscsi', notValidated],
  ['glusterfs', notValidated],
  ['flocker', notValidated],
  ['persistentVolumeClaim', named('claimName')],
  ['rbd', notValidated],
  ['cinder', notValidated],
  ['cephfs', notValidated],
  ['quobyte', notValidated],
  ['downwardAPI', downwardAPI],
  ['fc', notValidated],
  ['flexVolume', notValidated],
  ['configMap', filed('name')],
  ['azureFile', notValidated],
  ['vsphereVolume', notValidated],
  ['photonPersistentDisk', notValidated],
  ['portworxVolume', notValidated],
  ['azureDisk', notValidated],
  ['storageos', notValidated],
  ['projected', projectionErrors],
  ['scaleIO', notValidated],
  ['csi', csi],
  ['ephemeral', ephemeral],
  ['image', notValidated],
];

function sourceErrors(volume: JsonObject, path: string): FieldError[] {
  const [first, ...others] = knownSources.filter(([source]) => isObject(volume[source]));
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const [source, find] = first;
  return [
    ...find(objectAt(volume, source), `${path}.${source}`),
    ...others.map(([other]) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 volume type'),
    ),
  ];
}
