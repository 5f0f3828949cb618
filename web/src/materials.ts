// What bodies are made of, for the eye: numbers as in include/nacre/material.def, as far as a page can draw them quickly.
import {
    BackSide, BoxGeometry, Color, DoubleSide, FrontSide, Mesh, MeshBasicMaterial, MeshPhysicalMaterial, type MeshPhysicalMaterialParameters, type Plane, PMREMGenerator, Scene,
    type Texture, type WebGLRenderer,
} from "three";

const LOOKS: Record<string, MeshPhysicalMaterialParameters> = {
    "": { roughness: 0.62, metalness: 0.02 }, // nothing was said
    matte: { roughness: 0.9, metalness: 0 },
    metal: { roughness: 0.22, metalness: 1, envMapIntensity: 1.25 },
    // Seen through without being bent: light through glass would cost another picture of everything behind it.
    glass: { roughness: 0.03, metalness: 0, ior: 1.5, specularIntensity: 1, envMapIntensity: 1.6, transparent: true, opacity: 0.3, depthWrite: false },
    rubber: { roughness: 0.65, metalness: 0, sheen: 0.1, sheenRoughness: 0.6, envMapIntensity: 0.35 },
    wood: { roughness: 0.55, metalness: 0, clearcoat: 0.12, clearcoatRoughness: 0.5, envMapIntensity: 0.35 },
    fabric: { roughness: 1, metalness: 0, sheen: 0.6, sheenRoughness: 0.5, envMapIntensity: 0.3 },
    paper: { roughness: 0.95, metalness: 0 },
};
const REFLECTS = new Set(["metal", "glass", "rubber", "wood", "fabric"]);

// What is around the bodies, for those that reflect: a room with a bright ceiling and two windows. Made when first needed.
export class Surroundings {
    private made: Texture | null = null;

    constructor(private renderer: WebGLRenderer) {}

    get texture(): Texture {
        if (this.made) return this.made;
        const room = new Scene(), box = new BoxGeometry();
        const add = (colour: number, strength: number, x: number, y: number, z: number, w: number, h: number, d: number) => {
            const mesh = new Mesh(box, new MeshBasicMaterial({ color: new Color(colour).multiplyScalar(strength), side: BackSide }));
            if (w < 15) mesh.material.side = DoubleSide;
            mesh.position.set(x, y, z);
            mesh.scale.set(w, h, d);
            room.add(mesh);
        };
        add(0x9aa4b0, 0.7, 0, 0, 0, 20, 12, 20);
        add(0xffffff, 3.2, 0, 5.8, 0, 9, 0.2, 9);
        add(0xfff4e0, 4.5, -9.6, 1.5, 3, 0.2, 4, 6);
        add(0xdfe9ff, 3.5, 9.6, 1.5, -3, 0.2, 4, 6);
        add(0x8a8680, 0.55, 0, -5.8, 0, 14, 0.2, 14);
        const generator = new PMREMGenerator(this.renderer);
        this.made = generator.fromScene(room, 0.03).texture;
        generator.dispose();
        return this.made;
    }
}

export const isMaterial = (name: string | undefined): name is string => name !== undefined && name !== "" && name in LOOKS;

// Of what is closed only fronts are drawn, as long as nothing is cut away.
export function makeMaterial(kind: string, closed: boolean, clipped: Plane[], around: Surroundings): MeshPhysicalMaterial {
    const side = closed && clipped.length === 0 ? FrontSide : DoubleSide;
    const made = new MeshPhysicalMaterial({ ...LOOKS[kind], side, shadowSide: side, clippingPlanes: clipped, clipShadows: true });
    if (REFLECTS.has(kind)) made.envMap = around.texture;
    if (made.sheen > 0) made.sheenColor.set(0xffffff).multiplyScalar(0.5);
    return made;
}
