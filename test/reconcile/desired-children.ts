import { present } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { dnsLabel, labelValue, workloadName } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Live } from '../scenarios/api.ts';
import { applicationChildren } from './desired-application.ts';
import { type DesiredChild, ownLabels } from './desired-child.ts';
import { containerAppChildren } from './desired-container-app.ts';
import { databaseChildren } from './desired-database.ts';

/** Lists the desired children of a resource; undefined if the engine must write nothing for it. */
export function desiredChildrenOf(resource: Live): readonly DesiredChild[] | undefined {
  const { name, annotations, deletionTimestamp } = resource.metadata;
  if (deletionTimestamp !== undefined) return undefined;
  if (annotations?.['serverless-reconciler/suspend'] === 'true') return undefined;
  const spec = resource.spec as JsonObject;
  if (resource.kind === 'Foo') {
    return spec.deploymentName === undefined || spec.deploymentName === ''
      ? undefined
      : [fooDeployment(name, spec)];
  }
  return childrenOf[resource.kind]?.(name, spec);
}

const childrenOf: Readonly<
  Record<string, (name: string, spec: JsonObject) => readonly DesiredChild[]>
> = {
  Website: (name, spec) => [websiteDeployment(name, spec), websiteService(name, spec)],
  Application: applicationChildren,
  ContainerApp: containerAppChildren,
  Database: databaseChildren,
};

function fooDeployment(name: string, { deploymentName, replicas }: JsonObject): DesiredChild {
  const labels = { app: 'nginx', controller: labelValue(name) };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
  };
  return {
    type: deployment,
    name: String(deploymentName),
    fields: {
      metadata: { labels: ownLabels('foo', name) },
      spec: {
        ...present({ replicas }),
        selector: { matchLabels: labels },
        template,
      },
    },
  };
}

const siteLabels = (name: string) => ({ website: labelValue(name), type: 'Website' });

function websiteDeployment(name: string, { imageTag }: JsonObject): DesiredChild {
  const labels = siteLabels(name);
  const image = `abangser/todo-local-storage:${String(imageTag)}`;
  const ports = [{ containerPort: 80, protocol: 'TCP' }];
  return {
    type: deployment,
    name: workloadName(name),
    fields: {
      metadata: { labels: { ...labels, ...ownLabels('website', name) } },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image, ports }] } },
      },
    },
  };
}

function websiteService(name: string, { nodePort }: JsonObject): DesiredChild {
  const labels = siteLabels(name);
  return {
    type: service,
    name: dnsLabel(name),
    fields: {
      metadata: { labels: { ...labels, ...ownLabels('website', name) } },
      spec: {
        type: 'NodePort',
        selector: labels,
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort }],
      },
    },
  };
}
