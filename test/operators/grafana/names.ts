import { labelValue, objectName } from 'serverless-reconciler';

export const labelsOf = (name: string) => ({ app: 'grafana', grafana: labelValue(name) });
export const adminName = (name: string) => objectName(`${name}-admin-credentials`);
export const accountName = (name: string) => objectName(`${name}-sa`);
export const claimName = (name: string) => objectName(`${name}-pvc`);
export const folderName = (name: string, folder: string) => objectName(`${name}-folder-${folder}`);
/** Where pods mount the dashboards of a folder. */
export const pathOf = (folder: { readonly name: string }) => `/dashboards/${folder.name}`;
export const alertPort = 9094;
