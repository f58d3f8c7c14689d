import { buildFunctions } from '../../infra/build/build.ts';
import { configFile } from '../support/config.ts';

/** The suite drives what is deployed, so it is built first. */
export const setup = (): Promise<void> =>
  buildFunctions(configFile, (line) => process.stdout.write(`${line}\n`));
