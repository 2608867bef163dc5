// A template that the platform pauses while messages of it are queued.
import { pausedQueue } from './paused-queue.suite.ts';

pausedQueue(400, 15_000);
