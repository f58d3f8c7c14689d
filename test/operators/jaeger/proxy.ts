import {
  type api,
  type Child,
  child,
  objectName,
  secret,
  serviceAccount,
} from 'serverless-reconciler';
import { secondsIn } from 'serverless-reconciler/types';
import { mergedResources, type PodFields } from '../resources.ts';
import { argsOf } from './options.ts';
import type { Spec } from './spec.ts';

/** On OpenShift, the pages are behind its OAuth proxy, unless the spec says otherwise. */
export const isProxied = ({ platform, ingress }: Spec): boolean =>
  platform === 'openshift' && ingress.security !== 'none';

const accountOf = (name: string): string => objectName(`${name}-ui-proxy`);
const sessionOf = (name: string): string => objectName(`${name}-ui-proxy-session`);
/** The certificate that OpenShift makes for a Service with that annotation. */
const certificateOf = (name: string): string => objectName(`${name}-ui-oauth-proxy-tls`);
export const servingCertificate = (name: string) => ({
  'service.beta.openshift.io/serving-cert-secret-name': certificateOf(name),
});

/** Makes an account that is a client of OpenShift's OAuth server, and the key of the proxy's cookies. */
export function proxyNeeds(name: string, spec: Spec): readonly Child[] {
  if (!isProxied(spec)) return [];
  const reference = { kind: 'Route', name: objectName(name) };
  return [
    child(serviceAccount, {
      name: accountOf(name),
      annotations: {
        'serviceaccounts.openshift.io/oauth-redirectreference.primary': JSON.stringify({
          kind: 'OAuthRedirectReference',
          apiVersion: 'v1',
          reference,
        }),
      },
      body: {},
    }),
    child(secret, {
      name: sessionOf(name),
      body: {},
      generated: { keys: ['session'], usedBy: [] },
    }),
  ];
}

interface Proxied {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Spec;
}

/** Adds the proxy to the pod of the pages. */
export function proxied(given: Proxied, fields: PodFields, pod: api.PodTemplateSpec) {
  const { name, spec } = given;
  if (!isProxied(spec) || pod.spec === undefined) return pod;
  const serviceAccountName = fields.serviceAccount ?? accountOf(name);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      serviceAccountName,
      containers: [...pod.spec.containers, proxy(given, serviceAccountName)],
      volumes: [
        ...(pod.spec.volumes ?? []),
        { name: 'proxy-tls', secret: { secretName: certificateOf(name) } },
        { name: 'proxy-session', secret: { secretName: sessionOf(name) } },
      ],
    },
  };
}

function proxy({ namespace, spec }: Proxied, account: string): api.Container {
  const { image, options, resources, openshift } = spec.ingress;
  const { htpasswdFile, sar, timeout } = openshift;
  const args = {
    provider: 'openshift',
    'https-address': ':8443',
    upstream: 'http://localhost:16686',
    'openshift-service-account': account,
    'openshift-sar': sar ?? JSON.stringify({ namespace, resource: 'pods', verb: 'get' }),
    'tls-cert': '/etc/tls/private/tls.crt',
    'tls-key': '/etc/tls/private/tls.key',
    'cookie-secret-file': '/etc/proxy/session',
    ...(timeout && { 'upstream-timeout': `${secondsIn(timeout)}s` }),
    ...(htpasswdFile && { 'htpasswd-file': htpasswdFile, 'display-htpasswd-form': 'false' }),
    ...options,
  };
  return {
    name: 'oauth-proxy',
    image: image ?? 'quay.io/openshift/origin-oauth-proxy:4.14',
    args: argsOf(args),
    ports: [{ name: 'public', containerPort: 8443, protocol: 'TCP' }],
    resources: mergedResources(spec.resources, resources),
    volumeMounts: [
      { name: 'proxy-tls', mountPath: '/etc/tls/private', readOnly: true },
      { name: 'proxy-session', mountPath: '/etc/proxy', readOnly: true },
      ...(spec.volumeMounts ?? []).filter(({ name }) => htpasswdFile || name === 'trusted-ca'),
    ],
  };
}
