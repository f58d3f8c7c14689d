/** Parts of bodies that several types have. */

import type { api } from '../../index.ts';

export const labels = { app: 'garden' };
export const selector = { matchLabels: labels };

const resources = {
  requests: { cpu: '0.1', memory: '1024Mi' },
  limits: { memory: 2_147_483_648 },
};
export const containers = [{ name: 'app', image: 'nginx:1', resources }];

export const podTemplate: api.PodTemplateSpec = {
  metadata: { labels },
  spec: { containers, volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '1024Mi' } }] },
};

/** The template of a pod that runs to completion. */
export const onceTemplate: api.PodTemplateSpec = {
  metadata: { labels },
  spec: { containers, restartPolicy: 'Never' },
};

export const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];

export const devices = {
  requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.org' } }],
};

/** The path of an image in the template of a workload. */
export const imagePath = 'spec.template.spec.containers[name="web"].image';
