import { judged } from './judged.ts';
import { deployment, paths, podTemplate } from './objects.ts';

export const pod = (fields: object, container: object = {}) => {
  const { metadata, spec } = podTemplate(container);
  return deployment('x', { template: { metadata, spec: { ...spec, ...fields } } });
};
export const volume = (source: object) => pod({ volumes: [{ name: 'v', ...source }] });
export const context = (fields: object) => pod({ securityContext: fields });
export const toleration = (fields: object) => pod({ tolerations: [fields] });
export const spread = (...fields: object[]) =>
  pod({
    topologySpreadConstraints: fields.map((one) => ({
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      ...one,
    })),
  });

export const required = 'requiredDuringSchedulingIgnoredDuringExecution';
export const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
export const expressions = (...matchExpressions: object[]) => ({ matchExpressions });
export const node = (...nodeSelectorTerms: object[]) =>
  pod({ affinity: { nodeAffinity: { [required]: { nodeSelectorTerms } } } });
export const together = (term: object) =>
  pod({ affinity: { podAffinity: { [required]: [term] } } });
export const apart = (term: object) =>
  pod({ affinity: { podAntiAffinity: { [preferred]: [term] } } });
export const web = { matchLabels: { app: 'web' } };

export const steps = (rows: Parameters<typeof judged>[2]) =>
  judged(paths.deployments, 'Deployment.apps', rows);
