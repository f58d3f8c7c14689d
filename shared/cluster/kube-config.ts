import { KubeConfig } from '@kubernetes/client-node';

/**
 * An empty kubeconfig. Import this module only when it is needed: client-node takes longer to load than
 * everything else together.
 */
export const createKubeConfig = (): KubeConfig => new KubeConfig();
