/** The extension of a kubeconfig's context that holds configuration variables of the functions. */
export const settingsExtension = 'serverless-reconciler';
