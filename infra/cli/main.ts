#!/usr/bin/env node
import { runInProcess } from './process.ts';

await runInProcess();
