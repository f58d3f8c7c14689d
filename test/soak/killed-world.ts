import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { containerApp } from '../../systems/container-app.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { website } from '../../systems/website.ts';
import type { Api } from '../scenarios/api.ts';
import { foreignDeployment } from '../scenarios/resources.ts';

const app = containerApp(defaultSettings);
const mydb = { databaseName: 'mydb', username: 'admin', storage: { size: '1Gi' } };

const before: JsonObject = {
  image: 'nginx:1',
  minReplicas: 1,
  maxReplicas: 2,
  endpoints: [{ path: '/' }, { path: '/a', scopes: ['u'] }, { path: '/b', scopes: ['v'] }],
};
/** Endpoints after the edit: one path becomes protected, one gets other scopes, one set of scopes is gone. */
const after: JsonObject = {
  image: 'nginx:2',
  maxReplicas: 3,
  endpoints: [{ path: '/', scopes: ['u'] }, { path: '/a', scopes: ['u', 'w'] }, { path: '/c' }],
};

/** Creates the resources that a first run reconciles. */
export async function settleWorld(api: Api, nodePort: number): Promise<void> {
  await api.create(website, 'site', { spec: { imageTag: 'v1', nodePort } });
  await api.create(app, 'gate', { spec: before });
  await api.create(database, 'old', { spec: mydb });
  await api.create(foo, 'moved', { spec: { deploymentName: 'here', replicas: 2 } });
  await api.create(foo, 'given', { spec: { deploymentName: 'given', replicas: 2 } });
  await api.create(deployment, 'theirs', foreignDeployment());
}

/**
 * Creates the work of the run under test: to create (an Application, a Database with its password), follow
 * edits, repair drift, rename, prune, hand over a field, move exposures, and leave a foreign object alone.
 */
export async function disturbWorld(api: Api): Promise<void> {
  await api.create(application, 'fresh', { spec: { greeting: 'Moin', amountPods: 1 } });
  await api.create(database, 'new', { spec: mydb });
  await api.patch(website, 'site', { spec: { imageTag: 'v2' } });
  await api.scale(deployment, 'site', 5);
  await api.patch(app, 'gate', { spec: after });
  await api.remove(service, 'old');
  await api.patch(foo, 'moved', { spec: { deploymentName: 'there' } });
  await api.patch(foo, 'given', { spec: { replicas: null } });
}
