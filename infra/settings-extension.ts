/** The name of the kubeconfig context extension that holds configuration variables of the functions. */
export const settingsExtension = 'serverless-reconciler';
