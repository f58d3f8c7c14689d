import { parentPort, workerData } from 'node:worker_threads';
import { loadConfig } from '../project/config-file.ts';
import { RecordingError } from './errors.ts';
import { judgeWith, type ThreadData, type ThreadQuestion, type ThreadResponse } from './judges.ts';

/** Errors other than RecordingError end the thread. */
const { configFile, env } = workerData as ThreadData;
const judge = judgeWith({ reconciler: await loadConfig(configFile), env });

async function responseTo({ cluster, file, content }: ThreadQuestion): Promise<ThreadResponse> {
  const recording = { name: file, path: file, read: async () => content };
  try {
    return { impact: await judge({ cluster, recording }) };
  } catch (error) {
    if (error instanceof RecordingError) return { error: error.message };
    throw error;
  }
}

parentPort?.on('message', async (question: ThreadQuestion) => {
  parentPort?.postMessage(await responseTo(question));
});
