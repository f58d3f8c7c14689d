import type { FieldError } from '../../../errors/field-error.ts';
import { forbidden, invalid, notFound, required } from '../../../errors/field-error.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { unlisted } from '../../../objects/field-rules.ts';
import { backstepErrors, descendingErrors } from './file-paths.ts';
import type { Volumes } from './volumes.ts';

/** Validates how a container mounts the volumes of its pod, as files and as devices. */
export function mountErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  const mounts = objectsAt(container, 'volumeMounts');
  const devices = objectsAt(container, 'volumeDevices');
  const field = `${path}.volumeMounts`;
  return [
    ...mounts.flatMap((mount, index) => [
      ...placeErrors(mount, `${field}[${index}]`, { earlier: mounts.slice(0, index), volumes }),
      ...deviceConflicts(mount, devices, `${field}[${index}]`),
      // The server omits the index in this error.
      ...partErrors(mount, field, index),
      ...propagationErrors(mount, container, `${field}.mountPropagation`),
      ...readOnlyErrors(mount, `${field}.recursiveReadOnly`),
    ]),
    ...devices.flatMap((device, index) =>
      deviceErrors(device, `${path}.volumeDevices[${index}]`, {
        earlier: devices.slice(0, index),
        volumes,
        mounts,
      }),
    ),
  ];
}

interface MountContext {
  readonly earlier: readonly JsonObject[];
  readonly volumes: Volumes;
}

function placeErrors(
  mount: JsonObject,
  path: string,
  { earlier, volumes }: MountContext,
): FieldError[] {
  const name = textAt(mount, 'name');
  const place = textAt(mount, 'mountPath');
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(volumes.has(name) ? [] : [notFound(`${path}.name`, name)]),
    ...(place === '' ? [required(`${path}.mountPath`)] : []),
    ...(earlier.some((one) => textAt(one, 'mountPath') === place)
      ? [invalid(`${path}.mountPath`, place, 'must be unique')]
      : []),
  ];
}

function deviceConflicts(
  mount: JsonObject,
  devices: readonly JsonObject[],
  path: string,
): FieldError[] {
  return [
    ...(devices.some(({ name }) => name === mount.name)
      ? [invalid(`${path}.name`, mount.name, 'must not already exist in volumeDevices')]
      : []),
    ...(devices.some(({ devicePath }) => devicePath === mount.mountPath)
      ? [
          invalid(
            `${path}.mountPath`,
            mount.mountPath,
            'must not already exist as a path in volumeDevices',
          ),
        ]
      : []),
  ];
}

function partErrors(mount: JsonObject, path: string, index: number): FieldError[] {
  const [part, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')];
  const why = 'subPathExpr and subPath are mutually exclusive';
  return [
    ...(part === '' ? [] : descendingErrors(part, `${path}.subPath`)),
    ...(part === '' || expression === ''
      ? []
      : [invalid(`${path}[${index}].subPathExpr`, expression, why)]),
    ...(expression === '' ? [] : descendingErrors(expression, `${path}.subPathExpr`)),
  ];
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

function propagationErrors(mount: JsonObject, container: JsonObject, path: string): FieldError[] {
  const { mountPropagation: propagation } = mount;
  if (typeof propagation !== 'string') return [];
  const isPrivileged = objectAt(container, 'securityContext').privileged === true;
  const why = 'Bidirectional mount propagation is available only to privileged containers';
  return [
    ...unlisted(propagation, path, propagations),
    ...(propagation === 'Bidirectional' && !isPrivileged ? [forbidden(path, why)] : []),
  ];
}

const recursions = ['Disabled', 'Enabled', 'IfPossible'];

function readOnlyErrors(mount: JsonObject, path: string): FieldError[] {
  const { recursiveReadOnly: how, mountPropagation: propagation = 'None' } = mount;
  if (typeof how !== 'string' || how === 'Disabled') return [];
  if (!recursions.includes(how)) return unlisted(how, path, recursions);
  return [
    ...(mount.readOnly === true
      ? []
      : [forbidden(path, 'may only be specified when readOnly is true')]),
    ...(propagation === 'None'
      ? []
      : [forbidden(path, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

function deviceErrors(
  device: JsonObject,
  path: string,
  { earlier, volumes, mounts }: MountContext & { readonly mounts: readonly JsonObject[] },
): FieldError[] {
  const [name, place] = [textAt(device, 'name'), textAt(device, 'devicePath')];
  const volume = volumes.get(name);
  const isClaim = volume?.persistentVolumeClaim !== undefined || volume?.ephemeral !== undefined;
  const nameIs = (why: string): FieldError => invalid(`${path}.name`, name, why);
  const placeIs = (why: string): FieldError => invalid(`${path}.devicePath`, place, why);
  const onlyClaims =
    'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(name !== '' && earlier.some((one) => one.name === name) ? [nameIs('must be unique')] : []),
    ...(volume !== undefined && !isClaim ? [nameIs(onlyClaims)] : []),
    ...(volume === undefined ? [notFound(`${path}.name`, name)] : []),
    ...(place === '' ? [required(`${path}.devicePath`)] : []),
    ...(earlier.some((one) => one.devicePath === place) ? [placeIs('must be unique')] : []),
    ...(backstepErrors(place, path).length > 0
      ? [placeIs("can not contain backsteps ('..')")]
      : []),
    ...(mounts.some((mount) => mount.name === name)
      ? [nameIs('must not already exist in volumeMounts')]
      : []),
    ...(mounts.some((mount) => mount.mountPath === place)
      ? [placeIs('must not already exist as a path in volumeMounts')]
      : []),
  ];
}
