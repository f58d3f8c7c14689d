import {
  child,
  configMap,
  defineKind,
  type ReadObject,
  type Static,
  secret,
  secretValue,
  type Template,
  Type,
} from 'serverless-reconciler';
import { placeOf } from './content.ts';
import { datasourceKey } from './labels.ts';
import {
  common,
  list,
  names,
  pluginKeys,
  plugins,
  key as ref,
  selected,
  targets,
} from './selecting.ts';

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));
const flag = Type.Optional(Type.Boolean());
const json = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const spec = Type.Object({
  ...common,
  datasource: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    type: Type.String({ minLength: 1, maxLength: 100 }),
    url: text,
    access: text,
    database: text,
    user: text,
    basicAuthUser: text,
    basicAuth: flag,
    isDefault: flag,
    editable: flag,
    orgId: Type.Optional(Type.Integer({ minimum: 1 })),
    jsonData: json,
    secureJsonData: json,
  }),
  /** Values of Secrets and ConfigMaps, each for the text `${KEY}` in one field of the data source. */
  valuesFrom: Type.Array(
    Type.Object({
      targetPath: Type.String({ pattern: '^[A-Za-z0-9.]+$', maxLength: 200 }),
      valueFrom: Type.Object({
        secretKeyRef: Type.Optional(ref),
        configMapKeyRef: Type.Optional(ref),
      }),
    }),
    list,
  ),
  plugins,
});

type Spec = Static<typeof spec>;
type Ref = Static<typeof ref>;

/** A data source, for every Grafana that its selector finds: each reads a Secret of its own. */
export const datasource = defineKind({
  ...names,
  kind: 'GrafanaDatasource',
  plural: 'grafanadatasources',
  spec,
  samples: [
    {
      name: 'orders',
      spec: {
        instanceSelector: { matchLabels: { team: 'shop' } },
        datasource: {
          name: 'Orders',
          type: 'postgres',
          url: 'orders:5432',
          user: 'grafana',
          secureJsonData: { password: placeOf('password') },
        },
        valuesFrom: [
          {
            targetPath: 'secureJsonData.password',
            valueFrom: { secretKeyRef: { name: 'orders', key: 'password' } },
          },
        ],
      },
    },
  ],
  owns: [secret],
  reads: {
    instances: selected,
    secrets: { type: secret, names: ({ spec }) => namesOf(spec, 'secretKeyRef') },
    configMaps: { type: configMap, names: ({ spec }) => namesOf(spec, 'configMapKeyRef') },
  },
  refuse: ({ valuesFrom }) =>
    valuesFrom.every(({ valueFrom }) => !valueFrom.secretKeyRef !== !valueFrom.configMapKeyRef)
      ? undefined
      : 'set one of secretKeyRef and configMapKeyRef',
  children({ name, namespace, spec, reads: { instances, ...sources } }) {
    const lacking = spec.valuesFrom
      .flatMap(({ valueFrom }) => valueFrom.configMapKeyRef ?? [])
      .find((ref) => valueIn(sources, ref) === undefined);
    const message = `ConfigMap ${lacking?.name} has no key ${lacking?.key}`;
    return targets({ name, namespace, spec }, 'datasource', instances).map((one) =>
      child(secret, {
        ...one,
        ...(lacking && { blocked: { reason: 'ValueMissing', message } }),
        body: { data: pluginKeys(spec.plugins) },
        templates: { [datasourceKey]: contentOf(spec, sources) },
      }),
    );
  },
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ children }) => ({ instances: children.length }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
});

const namesOf = (spec: Spec, from: 'secretKeyRef' | 'configMapKeyRef'): readonly string[] => [
  ...new Set(spec.valuesFrom.flatMap(({ valueFrom }) => valueFrom[from]?.name ?? [])),
];

interface Sources {
  readonly secrets: readonly (ReadObject<typeof secret> | undefined)[];
  readonly configMaps: readonly (ReadObject<typeof configMap> | undefined)[];
}

const valueIn = ({ configMaps }: Sources, { name, key }: Ref): string | undefined =>
  configMaps.find((one) => one?.name === name)?.data?.[key];

/** Encloses the place of a value, as no text of a spec does. */
const [open, close] = ['\uE000', '\uE001'];

/** Grafana's provisioning file, in JSON, with the values of Secrets in their places. */
function contentOf({ datasource, uid, valuesFrom }: Spec, sources: Sources): Template {
  const fill = (filled: string, path: string): string =>
    valuesFrom.reduce((text, { targetPath, valueFrom }, index) => {
      const { secretKeyRef: ref, configMapKeyRef: other } = valueFrom;
      if (targetPath !== path) return text;
      if (ref !== undefined) return text.replaceAll(placeOf(ref.key), `${open}${index}${close}`);
      return other === undefined
        ? text
        : text.replaceAll(placeOf(other.key), valueIn(sources, other) ?? '');
    }, filled);
  const at = (path: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => at(`${path}.${index}`, item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .toSorted()
          .map(([key, inner]) => [key, at(path ? `${path}.${key}` : key, inner)]),
      );
    return typeof value === 'string' ? fill(value.replaceAll(/[\uE000\uE001]/g, ''), path) : value;
  };
  const file = JSON.stringify({
    apiVersion: 1,
    datasources: [at('', { ...datasource, ...(uid !== undefined && { uid }) })],
  });
  const [first = '', ...others] = file.split(open);
  return {
    parts: [
      first,
      ...others.flatMap((part) => {
        const [index = '', rest = ''] = part.split(close);
        const { name = '', key = '' } = valuesFrom[Number(index)]?.valueFrom.secretKeyRef ?? {};
        const source = sources.secrets.find((one) => one?.name === name) ?? { name };
        return [secretValue(source, key, 'json'), rest];
      }),
    ],
  };
}
