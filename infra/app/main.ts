import { runInProcess } from '../cli/process.ts';
import { addApp } from './app.ts';

/** The command, with what operates this repository's ContainerApps. */
await runInProcess([addApp]);
