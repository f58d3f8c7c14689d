import { buildFunctions } from '../../infra/build/build.ts';
import { configFile } from '../support/config.ts';

/** Builds the functions, because the suite tests the deployed code. */
export const setup = (): Promise<void> =>
  buildFunctions(configFile, (line) => process.stdout.write(`${line}\n`));
