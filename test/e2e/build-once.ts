import { buildControlPlane } from '@serverless-reconciler/local-cluster/control-plane/build';
import { buildFunctions } from '../../infra/build/build.ts';
import { configFile } from '../support/config.ts';

/** Builds the functions, because the suite tests the deployed code, and the control plane that most files start. */
export async function setup(): Promise<void> {
  await buildFunctions(configFile, (line) => process.stdout.write(`${line}\n`));
  await buildControlPlane();
}
