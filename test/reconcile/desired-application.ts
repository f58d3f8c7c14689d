import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { base64, type DesiredChild, ownLabels } from './desired-child.ts';

/** Lists the children of an Application with a short name; digests are judged by their contents. */
export function applicationChildren(
  name: string,
  { version, amountPods, image, greeting }: JsonObject,
): readonly DesiredChild[] {
  const app = `${name}-microservice`;
  const labels = ownLabels('application', name);
  const versioned = { 'app.kubernetes.io/version': version ?? '' };
  const secretKeyRef = { name: `${name}-secret-greeting`, key: 'GREETING_MESSAGE' };
  const probe = (path: string, initialDelaySeconds: number) => ({
    httpGet: { path, port: 8081 },
    initialDelaySeconds,
  });
  const container = {
    name: app,
    image: image ?? '',
    ports: [{ containerPort: 8081, protocol: 'TCP' }],
    env: [{ name: 'GREETING_MESSAGE', valueFrom: { secretKeyRef } }],
    livenessProbe: probe('/q/health/live', 40),
    readinessProbe: probe('/q/health/ready', 20),
  };
  const template = {
    metadata: { labels: { app, ...versioned } },
    spec: { containers: [container] },
  };
  return [
    {
      type: secret,
      name: secretKeyRef.name,
      fields: { metadata: { labels }, data: { GREETING_MESSAGE: base64(greeting) } },
    },
    {
      type: deployment,
      name: `${name}-deployment-microservice`,
      needs: [`Secret ${secretKeyRef.name}`],
      fields: {
        metadata: { labels: { ...labels, ...versioned } },
        spec: { replicas: amountPods ?? 1, selector: { matchLabels: { app } }, template },
      },
    },
    {
      type: service,
      name: `${name}-service-microservice`,
      fields: {
        metadata: { labels },
        spec: { type: 'ClusterIP', selector: { app }, ports: [{ port: 8081, protocol: 'TCP' }] },
      },
    },
  ];
}
