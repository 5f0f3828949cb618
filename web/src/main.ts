// Puts the viewer together.
import { App } from "./app";
import { openSource } from "./source";
import { Stage } from "./stage";
import { Interface, trouble } from "./ui";

async function start() {
    const canvas = document.getElementById("view") as HTMLCanvasElement;
    const source = openSource();
    const head = source.head();
    head.catch(() => {}); // reported below
    let stage: Stage;
    try {
        stage = new Stage(canvas);
    } catch {
        trouble("This browser cannot draw in three dimensions: WebGL 2 is switched off or missing.");
        return;
    }
    const app = new App(source, stage, head);
    const page = new Interface(app);
    stage.resize();
    // A link says which frame; who wants little motion starts it himself.
    app.autoplay = !new URLSearchParams(location.hash.slice(1)).has("frame") && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    try {
        await app.open();
    } catch (error) {
        trouble(`The run cannot be shown: ${error instanceof Error ? error.message : error}`);
        return;
    }
    page.restore();
    page.tellHead();
    page.tellFrame();
    // For the tests, which look at numbers where pixels would not tell.
    Object.assign(window, { nacre: app });
    let before = performance.now();
    const refresh = (now: number) => {
        app.tick((now - before) / 1000);
        before = now;
        requestAnimationFrame(refresh);
    };
    requestAnimationFrame(refresh);
}

void start();
