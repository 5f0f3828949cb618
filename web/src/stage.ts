// The three.js scene around the bodies: renderer, lights, ground, camera.
import {
    AmbientLight, Box3, BufferAttribute, BufferGeometry, CanvasTexture, CircleGeometry, DirectionalLight, Group, HemisphereLight,
    LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, Quaternion, Scene, Vector3,
    WebGLRenderer, ACESFilmicToneMapping,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { STILL, THEMES, type ThemeName } from "./palette";

const GRID = 20; // cells to each side

export class Stage {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
    readonly renderer: WebGLRenderer;
    readonly controls: OrbitControls;
    readonly root = new Group(); // the run's frame, turned so that "up" is y
    private sun = new DirectionalLight(0xffffff, 2.5);
    private sky = new HemisphereLight(0xffffff, 0x444444, 1.3);
    private fill = new AmbientLight(0xffffff, 0.12);
    private ground: Mesh<CircleGeometry, MeshLambertMaterial>;
    private grid = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    private dirty = true;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.info.autoReset = false; // or the draw calls of the shadows would not be counted
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.toneMapping = ACESFilmicToneMapping;
        this.renderer.toneMappingExposure = 1.05;
        this.ground = new Mesh(
            new CircleGeometry(1, 64).rotateX(-Math.PI / 2),
            new MeshLambertMaterial({ alphaMap: fadingDisc(), transparent: true, depthWrite: false }),
        );
        this.ground.receiveShadow = true;
        this.ground.renderOrder = -2;
        this.grid.renderOrder = -1;
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.radius = 3.5;
        this.sun.shadow.intensity = 0.85;
        this.scene.add(this.root, this.sun, this.sun.target, this.sky, this.fill, this.ground, this.grid);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener("change", () => this.touch());
    }

    // Something changed: draw at the next opportunity.
    touch() {
        this.dirty = true;
    }

    setUp(gravity: [number, number, number]) {
        const up = new Vector3(...gravity).negate();
        if (up.lengthSq() > 0) this.root.quaternion.copy(new Quaternion().setFromUnitVectors(up.normalize(), new Vector3(0, 1, 0)));
        this.root.updateMatrixWorld(true);
    }

    setTheme(name: ThemeName) {
        const theme = THEMES[name];
        this.scene.background = theme.back;
        STILL.set(theme.still);
        this.ground.material.color.copy(theme.ground);
        this.sky.color.set(theme.sky);
        this.sky.groundColor.set(theme.earth);
        this.sky.intensity = theme.ambient;
        this.sun.intensity = theme.key;
        this.fillGrid(theme.grid, theme.gridAlpha);
        this.touch();
    }

    // Lights, ground and grid for what is in `all`, lit best where `main` is; both in world coordinates.
    arrange(all: Box3, main: Box3) {
        const centre = main.getCenter(new Vector3());
        const radius = Math.max(1e-6, main.getSize(new Vector3()).length() / 2);
        this.sun.target.position.copy(centre);
        this.sun.position.copy(centre).addScaledVector(new Vector3(0.55, 1, 0.4).normalize(), 3 * radius);
        const camera = this.sun.shadow.camera;
        const reach = 1.25 * radius;
        camera.left = camera.bottom = -reach;
        camera.right = camera.top = reach;
        camera.near = 0.5 * radius;
        camera.far = 6 * radius;
        camera.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.006 * radius;
        this.sun.shadow.bias = -0.0004;
        this.sun.shadow.needsUpdate = true;
        const height = all.min.y - 0.004 * radius;
        this.ground.position.set(centre.x, height, centre.z);
        this.ground.scale.setScalar(7 * radius);
        const cell = 10 ** Math.round(Math.log10(radius / 3));
        this.grid.position.set(Math.round(centre.x / cell) * cell, height, Math.round(centre.z / cell) * cell);
        this.grid.scale.setScalar(cell);
        this.touch();
    }

    // Looks at `box` from in front and above.
    look(box: Box3) {
        const centre = box.getCenter(new Vector3());
        const back = new Vector3(0.5, 0.62, 1).normalize();
        const distance = this.distanceFor(box, centre, back);
        this.camera.position.copy(centre).addScaledVector(back, distance);
        this.camera.near = distance / 500;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.minDistance = distance / 400;
        this.controls.maxDistance = distance * 20;
        this.controls.update();
        this.touch();
    }

    // How far back along `back` all corners of the box are in the picture, with a margin.
    private distanceFor(box: Box3, centre: Vector3, back: Vector3): number {
        const right = new Vector3(0, 1, 0).cross(back).normalize(), up = back.clone().cross(right);
        const tall = 0.92 * Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
        let distance = 1e-6;
        for (let k = 0; k < 8; k++) {
            const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
            const needed = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
            distance = Math.max(distance, needed + corner.dot(back));
        }
        return distance;
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) return;
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        // A new size empties the canvas: it is drawn at once, so that it never shows empty.
        this.touch();
        if (this.root.children.length > 1) this.draw();
    }

    // Draws when there is something new to see; says whether it did.
    draw(): boolean {
        this.controls.update();
        if (!this.dirty) return false;
        this.dirty = false;
        this.renderer.info.reset();
        this.renderer.render(this.scene, this.camera);
        return true;
    }

    private fillGrid(colour: number, alpha: number) {
        const positions: number[] = [], colours: number[] = [];
        const tint = [(colour >> 16) / 255, ((colour >> 8) & 255) / 255, (colour & 255) / 255];
        const shade = (x: number, z: number) => alpha * Math.max(0, 1 - Math.hypot(x, z) / GRID);
        for (let i = -GRID; i <= GRID; i++)
            for (let j = -GRID; j < GRID; j++)
                for (const [a, b] of [[[i, j], [i, j + 1]], [[j, i], [j + 1, i]]]) {
                    positions.push(a[0], 0, a[1], b[0], 0, b[1]);
                    colours.push(...tint, shade(a[0], a[1]), ...tint, shade(b[0], b[1]));
                }
        this.grid.geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
        this.grid.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
    }
}

// White in the middle, black at the rim.
function fadingDisc(): CanvasTexture {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 256;
    const context = canvas.getContext("2d")!;
    const gradient = context.createRadialGradient(128, 128, 0, 128, 128, 128);
    gradient.addColorStop(0, "#fff");
    gradient.addColorStop(0.25, "#ddd");
    gradient.addColorStop(0.6, "#444");
    gradient.addColorStop(1, "#000");
    context.fillStyle = gradient;
    context.fillRect(0, 0, 256, 256);
    return new CanvasTexture(canvas);
}
