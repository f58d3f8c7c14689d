import { type Child, child, daemonSet, dnsLabel, workloadName } from 'serverless-reconciler';
import { mergedFields, podOf } from '../resources.ts';
import { caFiles, isCertified } from './ca.ts';
import { argsOf, type Options } from './options.ts';
import { adminPort, portsOf } from './ports.ts';
import { injected } from './processes.ts';
import { type Given, labelsOf } from './services.ts';
import { hasAgents } from './spec.ts';

/** Jaeger ships no later one. */
const lastVersion = '1.62.0';

/** An agent on each node, which passes on what it receives there. */
export function agents(given: Given): readonly Child[] {
  const { name, spec, account, needs, trust } = given;
  if (!hasAgents(spec)) return [];
  const { image, options, hostNetwork, dnsPolicy } = spec.agent;
  const fields = mergedFields(spec, spec.agent);
  const labels = labelsOf(name, 'agent');
  const files = caFiles(name, spec, 'service-ca');
  const probe = { httpGet: { path: '/', port: 'admin-http' } };
  const template = podOf(fields, {
    labels,
    annotations: { ...injected(adminPort('agent', options)), ...fields.annotations, ...trust },
    volumes: files.volumes,
    container: {
      name: 'jaeger-agent',
      image: image ?? `jaegertracing/jaeger-agent:${lastVersion}`,
      args: argsOf({ ...reporter(given), ...options }),
      ports: portsOf('agent', options).map((one) => ({ ...one, hostPort: one.containerPort })),
      readinessProbe: { ...probe, initialDelaySeconds: 1 },
      livenessProbe: { ...probe, initialDelaySeconds: 5, periodSeconds: 15, failureThreshold: 5 },
      volumeMounts: files.volumeMounts,
    },
    spec: {
      serviceAccountName: account.name,
      enableServiceLinks: false,
      hostNetwork,
      dnsPolicy: dnsPolicy ?? (hostNetwork ? 'ClusterFirstWithHostNet' : undefined),
    },
  });
  return [
    child(daemonSet, {
      name: workloadName(`${name}-agent-daemonset`),
      labels: { ...fields.labels },
      needs,
      body: { spec: { selector: { matchLabels: labels }, template } },
    }),
  ];
}

/** The options with which an agent finds the collectors, and trusts their certificate. */
function reporter({ name, namespace, spec }: Given): Options {
  const host = `${dnsLabel(`${name}-collector-headless`)}.${namespace}.svc`;
  const isSecured = isCertified(spec, spec.strategy === 'allinone' ? 'all-in-one' : 'collector');
  return {
    'reporter.grpc.host-port': `dns:///${host}:14250`,
    ...(isSecured &&
      !('reporter.grpc.tls.enabled' in spec.agent.options) && {
        'reporter.grpc.tls.enabled': 'true',
        'reporter.grpc.tls.ca': '/etc/pki/ca-trust/source/service-ca/service-ca.crt',
        'reporter.grpc.tls.server-name': `${host}.cluster.local`,
      }),
  };
}
