import { judged } from './judged.ts';
import { deployment, paths, podTemplate } from './objects.ts';

export const container = (fields: object) => deployment('x', { template: podTemplate(fields) });
export const variable = (fields: object) => container({ env: [{ name: 'A', ...fields }] });
export const resources = (fields: object) => container({ resources: fields });
export const lifecycle = (fields: object) => container({ lifecycle: fields });
export const context = (fields: object) => container({ securityContext: fields });
export const port = (fields: object) => container({ ports: [{ containerPort: 80, ...fields }] });

export const mounting = (mount: object, fields: object = {}) => {
  const { metadata, spec } = podTemplate({
    volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }],
    ...fields,
  });
  return deployment('x', {
    template: { metadata, spec: { ...spec, volumes: [{ name: 'v', emptyDir: {} }] } },
  });
};

export const steps = (rows: Parameters<typeof judged>[2]) =>
  judged(paths.deployments, 'Deployment.apps', rows);
