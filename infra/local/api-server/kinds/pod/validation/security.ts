import type { FieldError } from '../../../errors/field-error.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { unlisted } from '../../../objects/field-rules.ts';
import { descendingErrors } from './file-paths.ts';

/** Validates the security context of a container. */
export function containerSecurityErrors(
  context: JsonObject,
  path: string,
  hostUsers: boolean,
): FieldError[] {
  const { procMount } = context;
  const why = '`hostUsers` must be false to use `Unmasked`';
  return [
    ...idErrors(context, path, ['runAsUser', 'runAsGroup']),
    ...(procMount === undefined || procMount === null
      ? []
      : unlisted(procMount, `${path}.procMount`, ['Default', 'Unmasked'])),
    ...(hostUsers && procMount === 'Unmasked'
      ? [invalid(`${path}.procMount`, procMount, why)]
      : []),
    ...seccompErrors(context.seccompProfile, `${path}.seccompProfile`),
    ...escalationErrors(context, path),
    ...appArmorErrors(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

const maxValue = 2 ** 31 - 1;
const idRange = `must be between 0 and ${maxValue}, inclusive`;

function isId(id: number): boolean {
  return id >= 0 && id <= maxValue;
}

function idErrors(context: JsonObject, path: string, fields: readonly string[]): FieldError[] {
  return fields.flatMap((field) => {
    const id = numberAt(context, field);
    return id === undefined || isId(id) ? [] : [invalid(`${path}.${field}`, id, idRange)];
  });
}

function escalationErrors(context: JsonObject, path: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const capabilities = listAt(objectAt(context, 'capabilities'), 'add');
  const cannot = 'cannot set `allowPrivilegeEscalation` to false and';
  return [
    ...(context.privileged === true
      ? [invalid(path, shownContext(context), `${cannot} \`privileged\` to true`)]
      : []),
    ...capabilities
      .filter((one) => one === 'CAP_SYS_ADMIN')
      .map(() =>
        invalid(path, shownContext(context), `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`),
      ),
  ];
}

// Shows the server's own structure in place of the field.
function shownContext(context: JsonObject): JsonObject {
  const fields = [
    'capabilities',
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  return Object.fromEntries(
    fields.map((field) => {
      const name = field.replace(/^se(?=L)/, 'SE').replace(/^./, (first) => first.toUpperCase());
      const value = context[field] ?? null;
      return [name, field === 'capabilities' && isObject(value) ? shownCapabilities(value) : value];
    }),
  );
}

function shownCapabilities({ add = null, drop = null }: JsonObject): JsonObject {
  return {
    Add: add,
    Drop: drop,
  };
}

const profiles = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccompErrors(profile: unknown, path: string): FieldError[] {
  if (!isObject(profile)) return [];
  const { type = '', localhostProfile: file } = profile;
  const field = `${path}.localhostProfile`;
  const wrongType =
    type === ''
      ? [required(`${path}.type`, 'type is required when seccompProfile is set')]
      : unlisted(type, `${path}.type`, profiles);
  if (type !== 'Localhost') {
    const shown = { Type: type, LocalhostProfile: file };
    const why = 'can only be set when seccomp type is Localhost';
    return [...wrongType, ...(file === undefined ? [] : [invalid(field, shown, why)])];
  }
  if (file === undefined) return [required(field, 'must be set when seccomp type is Localhost')];
  return descendingErrors(String(file), field);
}

const maxProfileLength = 4095;

function appArmorErrors(profile: unknown, path: string): FieldError[] {
  if (!isObject(profile)) return [];
  const { type = '', localhostProfile: name } = profile;
  const field = `${path}.localhostProfile`;
  if (type === '') {
    return [required(`${path}.type`, 'type is required when appArmorProfile is set')];
  }
  if (!profiles.includes(String(type))) {
    return [notSupported(`${path}.type`, type, profiles)];
  }
  if (type !== 'Localhost') {
    const why = 'can only be set when AppArmor type is Localhost';
    return name === undefined ? [] : [invalid(field, name, why)];
  }
  const text = String(name ?? '');
  if (text.trim() !== text) return [invalid(field, text, 'must not be padded with whitespace')];
  if (text === '') return [required(field, 'must be set when AppArmor type is Localhost')];
  return text.length > maxProfileLength ? [tooLong(field, maxProfileLength)] : [];
}

/** Validates the security context of a pod. */
export function podSecurityErrors(spec: JsonObject, path: string): FieldError[] {
  const context = objectAt(spec, 'securityContext');
  const field = `${path}.securityContext`;
  const among = (name: string, known: readonly string[]): FieldError[] =>
    context[name] === undefined ? [] : unlisted(context[name], `${field}.${name}`, known);
  return [
    ...idErrors(context, field, ['fsGroup', 'runAsUser', 'runAsGroup']),
    ...listAt(context, 'supplementalGroups').flatMap((id, index) =>
      isId(Number(id)) ? [] : [invalid(`${field}.supplementalGroups[${index}]`, id, idRange)],
    ),
    ...(spec.shareProcessNamespace === true && spec.hostPID === true
      ? [
          invalid(
            `${field}.shareProcessNamespace`,
            true,
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...sysctlErrors(spec, objectsAt(context, 'sysctls'), `${field}.sysctls`),
    ...among('fsGroupChangePolicy', ['Always', 'OnRootMismatch']),
    ...seccompErrors(context.seccompProfile, `${field}.seccompProfile`),
    ...appArmorErrors(context.appArmorProfile, `${field}.appArmorProfile`),
    ...among('supplementalGroupsPolicy', ['Merge', 'Strict']),
    ...among('seLinuxChangePolicy', ['Recursive']),
  ];
}

const sysctl = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlWhy = String.raw`must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

function sysctlErrors(
  spec: JsonObject,
  sysctls: readonly JsonObject[],
  path: string,
): FieldError[] {
  const names = sysctls.map((one) => textAt(one, 'name'));
  return names.flatMap((name, index) => {
    const field = `${path}[${index}].name`;
    if (name === '') return [required(field)];
    if (name.length > 253 || !sysctl.test(name)) return [invalid(field, name, sysctlWhy)];
    const isOfHost = spec.hostNetwork === true && /^net[./]/.test(name);
    return [
      ...(names.indexOf(name) < index ? [duplicate(field, name)] : []),
      ...(isOfHost
        ? [invalid(field, name, "may not be specified when 'hostNetwork' is true")]
        : []),
    ];
  });
}

/** A user namespace of its own excludes the host's network, PID and IPC namespaces. */
export function userNamespaceErrors(spec: JsonObject, path: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const shared = [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const;
  return shared
    .filter(([field]) => spec[field] === true)
    .map(([, shown]) => forbidden(`${path}.${shown}`, 'when `hostUsers` is false'));
}
