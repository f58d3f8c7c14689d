import { child, defineKind, type Static, secret, Type } from 'serverless-reconciler';
import { placeOf } from './content.ts';
import { datasourceKey } from './labels.ts';
import { common, names, pluginKeys, plugins, selected, targets, uid } from './selecting.ts';
import { blockedBy, fileWith, filled, refuseValues, sourcesOf, valuesFrom } from './values.ts';

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));
const flag = Type.Optional(Type.Boolean());
const json = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const spec = Type.Object({
  ...common,
  uid,
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
  /** Each value stands for the text `${KEY}` in one field of the data source. */
  valuesFrom,
  plugins,
});

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
  reads: { instances: selected, ...sourcesOf<Static<typeof spec>>((one) => one.valuesFrom) },
  refuse: ({ valuesFrom }) => refuseValues(valuesFrom),
  children({ name, namespace, spec, reads: { instances, ...read } }) {
    const { datasource, uid, valuesFrom, plugins } = spec;
    const given = { ...datasource, ...(uid !== undefined && { uid }) };
    const file = fileWith({ datasources: [filled(given, { valuesFrom, read })] });
    return targets({ name, namespace, spec }, 'datasource', instances).map((one) =>
      child(secret, {
        ...one,
        ...blockedBy(valuesFrom, read),
        body: { data: pluginKeys(plugins) },
        templates: { [datasourceKey]: file },
      }),
    );
  },
  status: { instances: Type.Optional(Type.Integer()) },
  statusOf: ({ children }) => ({ instances: children.length }),
  columns: [{ name: 'Instances', type: 'integer', jsonPath: '.status.instances' }],
});
