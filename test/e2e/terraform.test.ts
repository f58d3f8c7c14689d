import { runModules } from '../terraform/run-modules.ts';

runModules();
