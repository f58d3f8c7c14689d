import {
  child,
  configMap,
  defineKind,
  deployment,
  labelValue,
  rollOnChange,
  secret,
  Type,
} from '../../index.ts';

/** Runs a web server with the settings of a ConfigMap and the tokens of some Secrets. */
export const shop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({
    settings: Type.Optional(Type.String()),
    tokens: Type.Array(Type.String(), { default: [], maxItems: 100 }),
  }),
  samples: [{ name: 'shop', spec: { settings: 'settings' } }],
  owns: [deployment],
  reads: {
    settings: { type: configMap, name: ({ spec }) => spec.settings },
    tokens: { type: secret, names: ({ spec }) => spec.tokens },
  },
  children({ name, spec, reads: { settings, tokens } }) {
    const isMissing = spec.settings !== undefined && settings === undefined;
    const message = `ConfigMap ${spec.settings} does not exist`;
    const containers = [{ name: 'web', image: `web:${settings?.data?.tag ?? 'none'}` }];
    const labels = { shop: labelValue(name) };
    const annotations = rollOnChange(settings, ...tokens);
    const template = { metadata: { labels, annotations }, spec: { containers } };
    return [
      child(deployment, {
        name,
        ...(isMissing ? { blocked: { reason: 'SettingsMissing', message } } : {}),
        body: { spec: { selector: { matchLabels: labels }, template } },
      }),
    ];
  },
});
