import { KubeConfig } from '@kubernetes/client-node';

/**
 * client-node's own kubeconfig. Import this module only when it is needed: all of client-node takes longer
 * to load than everything else together.
 */
export const createKubeConfig = (): KubeConfig => new KubeConfig();
