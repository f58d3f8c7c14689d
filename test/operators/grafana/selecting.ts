import {
  labelValue,
  objectName,
  type SelectedObject,
  type Static,
  Type,
} from 'serverless-reconciler';
import { LabelSelector } from 'serverless-reconciler/types';
import { subdomain } from '../resources.ts';
import { grafana } from './grafana.ts';
import { far, grantTo, instanceLabel, placeLabel, pluginKey } from './labels.ts';

/** How a resource selects the Grafanas that it is for. */
export const common = {
  instanceSelector: LabelSelector,
  /** Selects Grafanas of other namespaces as well, whose owners grant that. */
  allowCrossNamespaceImport: Type.Boolean({ default: false }),
};
/** The identifier of an object within Grafana. */
export const uid = Type.Optional(Type.String({ pattern: '^[a-zA-Z0-9_-]+$', maxLength: 40 }));
const fields = Type.Object(common);
type Common = Static<typeof fields>;

export const selected = {
  type: grafana,
  selector: ({ spec }: { readonly spec: Common }) => spec.instanceSelector,
  from: 'granted' as const,
};

interface Own {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Common;
}

/** The Grafanas that a resource is for, and how it names and marks what it makes for each. */
export const targets = (
  { name, namespace, spec }: Own,
  what: string,
  instances: readonly SelectedObject<typeof grafana>[],
) =>
  instances
    .filter((one) => one.namespace === namespace || spec.allowCrossNamespaceImport)
    .map((one) => ({
      name: objectName(`${name}-${what}-${one.namespace === namespace ? one.name : far(one)}`),
      labels: {
        [instanceLabel]: labelValue(one.name),
        [placeLabel]: labelValue(one.namespace),
      },
      annotations: one.namespace === namespace ? {} : grantTo(one.namespace),
    }));

export const names = { group: 'grafana.integreatly.org', version: 'v1beta1' };

/** A value of a ConfigMap or Secret. */
export const key = Type.Object({
  name: subdomain,
  key: Type.String({ pattern: '^[-._a-zA-Z0-9]+$', maxLength: 253 }),
});

/** Plugins that a Grafana installs before it starts. */
export const plugins = Type.Array(
  Type.Object({
    name: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 100 }),
    version: Type.String({ pattern: '^([0-9]+([.][0-9A-Za-z-]+)*|latest)$', maxLength: 50 }),
  }),
  { maxItems: 32, default: [] },
);

/** The keys that name the plugins, with an empty value. */
export const pluginKeys = (given: Static<typeof plugins>): Readonly<Record<string, string>> =>
  Object.fromEntries(given.map(({ name, version }) => [pluginKey(name, version), '']));

/** A short list that may be left out. */
export const list = { maxItems: 99, default: [] };
