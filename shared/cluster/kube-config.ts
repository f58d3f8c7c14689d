import { KubeConfig } from '@kubernetes/client-node';

/**
 * An empty kubeconfig. Import this module when one is needed, not before: client-node takes longer to
 * load than all the rest together.
 */
export const createKubeConfig = (): KubeConfig => new KubeConfig();
