import { isFields, type JsonFields, textAt, valueAt } from '../../shared/json.ts';
import type { Child } from '../../shared/kinds/child.ts';

interface PodReference {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount' | 'PersistentVolumeClaim';
  readonly name: string;
  /** The key that an environment variable reads; undefined for any other reference. */
  readonly key?: string | undefined;
  /** True if pods see a change only after a restart, as with environment variables and files mounted by `subPath`. */
  readonly atStart: boolean;
}

/** Undefined if the child creates no pods. */
export function podTemplateOf({ type, body }: Child): JsonFields | undefined {
  const found =
    type.kind === 'Pod'
      ? body
      : (valueAt(body.spec, 'jobTemplate', 'spec', 'template') ?? valueAt(body.spec, 'template'));
  return isFields(found) && isFields(found.spec) ? found : undefined;
}

export const fieldsIn = (list: unknown): readonly JsonFields[] =>
  Array.isArray(list) ? list.filter(isFields) : [];

export const containersOf = (template: JsonFields): readonly JsonFields[] =>
  ['containers', 'initContainers'].flatMap((list) => fieldsIn(valueAt(template, 'spec', list)));

/** Lists the objects without which pods of a template cannot start. Omits optional references. */
export function podReferences(template: JsonFields): readonly PodReference[] {
  const containers = containersOf(template);
  const bySubPath = containers
    .flatMap(({ volumeMounts }) => fieldsIn(volumeMounts))
    .filter(({ subPath, subPathExpr }) => subPath !== undefined || subPathExpr !== undefined)
    .map(({ name }) => name);
  const volumes = fieldsIn(valueAt(template, 'spec', 'volumes')).flatMap((volume) => {
    const projected = fieldsIn(valueAt(volume, 'projected', 'sources'));
    return [volume, ...projected].flatMap((source) =>
      namedIn(source).map((one) => ({ ...one, atStart: bySubPath.includes(volume.name) })),
    );
  });
  const variables = containers
    .flatMap(({ env, envFrom }) => [
      ...fieldsIn(env).map(({ valueFrom }) => valueFrom),
      ...fieldsIn(envFrom),
    ])
    .flatMap((source) => namedIn(source).map((one) => ({ ...one, atStart: true })));
  const account = textAt(template, 'spec', 'serviceAccountName');
  return [
    ...variables,
    ...volumes,
    ...(account === undefined
      ? []
      : [{ kind: 'ServiceAccount' as const, name: account, atStart: false }]),
  ];
}

const sources = {
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  secret: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  persistentVolumeClaim: 'PersistentVolumeClaim',
} as const;

const namedIn = (source: unknown): readonly Omit<PodReference, 'atStart'>[] =>
  Object.entries(sources).flatMap(([field, kind]) => {
    const found = valueAt(source, field);
    const names = ['name', 'secretName', 'claimName'].map((one) => textAt(found, one));
    const name = names.find((one) => one !== undefined);
    if (name === undefined || valueAt(found, 'optional') === true) return [];
    return [{ kind, name, key: textAt(found, 'key') }];
  });
